#include "run_summary.h"

namespace cudasem {

using nlohmann::json;

namespace {

constexpr int kSummarySchema = 1;

json as_json(const CaseReport& report) {
  json one = {{"id", report.id},
              {"area", report.area},
              {"verdict", name(report.judgement.verdict)},
              {"reason", report.judgement.reason},
              {"outcome", report.outcome},
              {"expected", report.expected},
              {"observed", report.observed},
              {"text", report.text},
              {"file", report.file},
              {"line", report.line},
              {"k", report.judgement.k},
              {"n", report.judgement.n},
              {"ms", report.ms},
              {"again", report.reproduce}};
  if (report.judgement.waived) one["waived"] = to_json(*report.judgement.waived);
  return one;
}

}  // namespace

json run_summary(const RunReport& run, int planned, const std::vector<CaseReport>& not_fine) {
  json document = {{"schema", kSummarySchema},    {"exit", run.exit},       {"problems", run.problems},
                   {"counts", run.counts},        {"planned", planned},     {"seconds", run.seconds},
                   {"torch", run.torch},          {"profile", run.profile}, {"log", run.log},
                   {"unexpected", json::array()}, {"waived", json::array()}};
  for (const auto& report : not_fine)
    document[report.judgement.waived ? "waived" : "unexpected"].push_back(as_json(report));
  return document;
}

void SummaryFile::case_finished(const CaseReport& report) {
  if (!is_fine(report.judgement.verdict)) not_fine_.push_back(report);
}

void SummaryFile::write(const json& document) const {
  file_.write(document.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

void SummaryFile::finished(const RunReport& run) {
  write(run_summary(run, planned_, not_fine_));
}

void SummaryFile::refused(const std::string& why) {
  RunReport run;
  run.exit = 2;
  run.problems = {why};
  write(run_summary(run, planned_, not_fine_));
}

}  // namespace cudasem
