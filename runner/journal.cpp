#include "journal.h"

#include <fmt/format.h>

#include <ctime>
#include <random>
#include <stdexcept>

#include "layout.h"
#include "shell_word.h"

namespace cudasem {

namespace fs = std::filesystem;

namespace {

std::string log_stem(const std::string& utc, const std::string& torch) {
  std::string stem = fmt::format("{}-torch-{}", utc, torch);
  std::erase(stem, ':');
  return stem;
}

/// At the place asked for; in a folder, under the default name, with a number if that is taken.
std::unique_ptr<EventLog> open_log(const fs::path& out, const std::string& stem) {
  const bool folder = !out.has_filename() || fs::is_directory(out);
  if (!out.empty() && !folder) return std::make_unique<EventLog>(out);
  const fs::path parent = out.empty() ? fs::path("out") : out;
  for (int number = 1;; ++number) {
    const fs::path path = parent / (stem + (number == 1 ? "" : fmt::format("-{}", number)) + ".ndjson");
    if (fs::exists(path)) continue;
    try {
      return std::make_unique<EventLog>(path);
    } catch (const std::runtime_error&) {
      if (!fs::exists(path)) throw;  // else another run took the name meanwhile
    }
  }
}

}  // namespace

Journal::Journal(const Survey& survey, const RunOptions& options, bool complete, Earlier* earlier,
                 Status& status)
    : survey_(survey), options_(options), earlier_(earlier), status_(status), scrub_(scrubber_for(survey)) {
  events::Run run;
  run.utc = events::utc(std::time(nullptr));
  const std::string stem = log_stem(run.utc, survey.subject.torch);
  run.id = fmt::format("{}-{:08x}", stem, std::random_device{}());
  run.tool = layout::version();
  run.expected_hash = survey.expectations.hash();
  run.profile = options.profile;
  run.argv = scrub_.argv(options.argv);
  run.shard = options.selection.shard;
  run.shards = options.selection.shards;
  run.complete = complete;
  run.asked = asked(options);
  if (earlier) {
    run.id = earlier->log.run.value("id", "");
    began_ -=
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(earlier->t_ms));
    log_ = std::move(earlier->writer);
    write(events::run(run));
    return;
  }
  log_ = open_log(options.out, stem);
  write(events::run(run));
  write(events::machine(survey.machine));
  write(events::subject(survey.built, survey.machine));
}

double Journal::t_ms() const {
  return std::chrono::duration<double, std::milli>(Clock::now() - began_).count();
}

std::string Journal::key(const PlanItem& item) const {
  return events::key(item.id, survey_.subject);
}

void Journal::plan(const PlanItem& item) {
  if (earlier_ && earlier_->log.find(key(item))) return;
  const CaseInfo& info = item.found->info;
  const Expectation* entry = survey_.expectations.find(item.id, survey_.subject);
  write(events::plan(
      key(item), item, options_.profile,
      entry ? to_json(*entry, survey_.recordings.evidence(*entry, info.hash, survey_.subject.torch))
            : default_expectation(info.kind, item.way)));
}

bool Journal::adopt(const PlanItem& item) {
  const LogEntry* entry = earlier_ ? earlier_->finished(key(item)) : nullptr;
  if (!entry) return false;
  Judgement judgement;
  judgement.verdict = parse_verdict(entry->verdict.value("verdict", "")).value_or(Verdict::missing);
  judgement.reason = entry->verdict.value("reason", "");
  judgement.k = entry->verdict.value("k", 0);
  judgement.n = entry->verdict.value("n", 1);
  const Observed observed = entry->attempts.empty() ? Observed{} : entry->attempts.back();
  if (entry->verdict.contains("waived")) judgement.waived = waiver_from_json(entry->verdict.at("waived"));
  count(item, judgement, observed.outcome);
  CaseReport shown = report(item, survey_.expectations.find(item.id, entry->subject), observed);
  shown.judgement = judgement;
  shown.ms = earlier_->ms(entry->key);
  shown.quiet = is_fine(judgement.verdict);
  status_.case_finished(shown);
  return true;
}

void Journal::count(const PlanItem& item, const Judgement& judgement, Outcome outcome) {
  ++counts_[counted_as(judgement)];
  if (outcome != Outcome::skip && outcome != Outcome::missing) executed_.insert(item.id);
}

void Journal::begin(const PlanItem& item, const events::Try& one, pid_t pid, const std::vector<int>& gpus) {
  write(events::begin(key(item), one, pid, gpus, t_ms()));
  status_.case_started(item.id);
}

Judgement Journal::end(const PlanItem& item, const End& end) {
  write(events::end(key(item), end.one, end.observed, end.output, end.dirt, end.ms, t_ms()));
  const Subject subject = survey_.subject_on(end.gpus);
  Judgement judgement = judge(survey_.expectations.find(item.id, subject), item.found->info.kind, item.way,
                              end.observed, subject);
  waive(judgement, survey_.waivers, item.id, end.observed.outcome);
  return judgement;
}

void Journal::verdict(const PlanItem& item, const Judgement& judgement, const End& last, bool quiet) {
  write(events::verdict(key(item), judgement));
  count(item, judgement, last.observed.outcome);
  CaseReport shown =
      report(item, survey_.expectations.find(item.id, survey_.subject_on(last.gpus)), last.observed);
  shown.judgement = judgement;
  shown.ms = last.ms;
  shown.quiet = quiet;
  status_.case_finished(shown);
}

void Journal::end_without_process(const PlanItem& item, Outcome outcome, const std::string& detail,
                                  const std::string& why, bool quiet) {
  End none;
  none.observed.outcome = outcome;
  none.observed.detail = detail;
  none.observed.text = why;
  verdict(item, end(item, none), none, quiet);
}

void Journal::uncompiled(const Uncompiled& area) {
  CatalogCase absent;  // stands for all cases of the area
  absent.info.name = area.area + ".*";
  PlanItem item;
  item.found = &absent;
  item.id = absent.info.name;
  if (adopt(item)) return;
  write(events::plan_uncompiled(key(item), area.area, options_.profile));
  end_without_process(item, Outcome::missing, "uncompiled", area.text, false);
}

void Journal::stress(const PlanItem& item, const StressFinding& finding) {
  write(events::stress(key(item), finding));
}

void Journal::gpu(int index, bool well, const std::string& cause) {
  write(events::gpu(index, well, cause));
}

void Journal::finish(int exit, const std::vector<std::string>& problems) {
  write(events::finish(counts_, exit, t_ms()));
  status_.finished({.counts = counts_,
                    .exit = exit,
                    .seconds = t_ms() / 1000,
                    .log = log_->path().string(),
                    .torch = survey_.subject.torch,
                    .profile = options_.profile,
                    .problems = problems});
}

CaseReport Journal::report(const PlanItem& item, const Expectation* entry, const Observed& observed) const {
  const CaseInfo& info = item.found->info;
  const bool must_be_written = info.kind == Kind::misuse && item.way == "wrong";
  return {.id = item.id,
          .reproduce = reproduce(item),
          .area = item.id.substr(0, item.id.find('.')),
          .title = info.title,
          .file = info.file,
          .line = info.line,
          .outcome = std::string(name(observed.outcome)),
          .expected = entry             ? text(*entry)
                      : must_be_written ? "nothing that is written down"
                                        : "ok",
          .observed = text(observed),
          .text = observed.text};
}

/// The line that runs this case alone, and the one for a debugger.
std::vector<std::string> Journal::reproduce(const PlanItem& item) const {
  if (item.found->area.empty()) return {};
  std::string ours = fmt::format("cudasem run '{}'", item.id);
  auto option = [&ours](const char* name, const fs::path& value, const fs::path& otherwise) {
    if (value != otherwise) ours += fmt::format(" {} {}", name, shell_word(value.string()));
  };
  option("--cases", options_.cases, layout::default_cases());
  option("--expected", options_.expected, layout::home() / "expected");
  option("--torch", options_.torch, "");
  option("--profile", options_.profile, "native");
  std::string direct;
  for (const auto& [name, value] : options_.environment)
    direct += fmt::format("{}={} ", name, shell_word(value));
  for (const auto& [name, value] : library_environment(survey_.built))
    direct += fmt::format("{}={} ", name, shell_word(value));
  direct += fmt::format("{} --gtest_filter='{}'", shell_word(survey_.built.binary(item.found->area).string()),
                        item.id);
  return {ours, direct};
}

}  // namespace cudasem
