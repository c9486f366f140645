#include "events.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "event_log.h"
#include "log_reader.h"
#include "normalise.h"

namespace cudasem::events {

using nlohmann::json;

namespace {

double rounded(double ms) {
  return std::round(ms * 1000) / 1000;
}

}  // namespace

std::string key(const std::string& id, const Subject& subject) {
  return fmt::format("{} | torch {} | {}", id, subject.torch, subject.profile);
}

json run(const Run& run) {
  return {{"event", "run"},
          {"schema", log_schema},
          {"id", run.id},
          {"argv", run.argv},
          {"tool", run.tool},
          {"seed", 0},
          {"shard", run.shards == 1 ? json() : json(fmt::format("{}/{}", run.shard, run.shards))},
          {"complete", run.complete},
          {"asked", run.asked},
          {"expected_hash", run.expected_hash},
          {"utc", run.utc},
          {"profile", run.profile}};
}

json machine(const Machine& machine) {
  json gpus = json::array();
  for (const auto& gpu : machine.gpus)
    gpus.push_back({{"index", gpu.index},
                    {"name", gpu.name},
                    {"cc", gpu.cc},
                    {"memory_MiB", gpu.memory_MiB},
                    {"ecc", gpu.ecc},
                    {"mig", gpu.mig}});
  return {{"event", "machine"},
          {"os", os_name()},
          {"driver", machine.driver},
          {"gpus", gpus},
          {"error", machine.error}};
}

json subject(const BuiltFor& built, const Machine& machine) {
  json binaries = json::object();
  for (const auto& area : built.areas_present()) binaries[area] = file_hash(built.binary(area));
  return {{"event", "subject"},
          {"torch", torch_in_use(built)},
          {"git", built.git},
          {"cuda_build", built.cuda_build},
          {"cuda_runtime", machine.cuda_runtime},
          {"compiler", built.compiler},
          {"binaries", binaries},
          {"env", environment_that_matters()}};
}

json plan(const std::string& key, const PlanItem& item, const std::string& profile, const json& expectation) {
  const CaseInfo& info = item.found->info;
  return {{"event", "plan"},
          {"key", key},
          {"id", item.id},
          {"case", info.name},
          {"way", item.way},
          {"profile", profile},
          {"hash", info.hash},
          {"kind", name(info.kind)},
          {"title", info.title},
          {"claims", info.claims},
          {"links", info.links},
          {"needs",
           {{"gpus", info.needs_gpus}, {"features", info.needs_features}, {"caching", info.needs_caching}}},
          {"isolation", info.isolation},
          {"time_limit_s", info.time_limit_s},
          {"file", info.file},
          {"line", info.line},
          {"source", info.source},
          {"expectation", expectation}};
}

json plan_uncompiled(const std::string& key, const std::string& area, const std::string& profile) {
  CatalogCase absent;
  absent.info.name = area + ".*";
  absent.info.title = fmt::format("The area {} did not compile", area);
  absent.info.file = fmt::format("cases/{}", area);
  PlanItem item;
  item.found = &absent;
  item.id = absent.info.name;
  return plan(key, item, profile, json());
}

json begin(const std::string& key, const Try& one, int pid, const std::vector<int>& gpus, double t_ms) {
  return {{"event", "begin"},     {"key", key}, {"attempt", one.attempt},
          {"how", one.how},       {"pid", pid}, {"gpu", gpus.empty() ? json() : json(gpus.front())},
          {"t_ms", rounded(t_ms)}};
}

json end(const std::string& key, const Try& one, const Observed& observed, const Output& output,
         const std::vector<std::string>& dirt, double ms, double t_ms) {
  json event = to_json(observed);
  event["event"] = "end";
  event["key"] = key;
  event["attempt"] = one.attempt;
  event["how"] = one.how;
  if (!dirt.empty()) event["dirt"] = dirt;
  event["ms"] = rounded(ms);
  event["output"] = {{"stdout", valid_utf8(output.out)}, {"stderr", valid_utf8(output.err)}};
  event["t_ms"] = rounded(t_ms);
  return event;
}

json verdict(const std::string& key, const Judgement& judgement) {
  json event = {{"event", "verdict"},         {"key", key},       {"verdict", name(judgement.verdict)},
                {"reason", judgement.reason}, {"k", judgement.k}, {"n", judgement.n}};
  if (judgement.waived) event["waived"] = to_json(*judgement.waived);
  return event;
}

json stress(const std::string& key, const StressFinding& finding) {
  return {{"event", "stress"},
          {"key", key},
          {"fresh", finding.fresh},
          {"batched", finding.batched},
          {"differed", finding.differed},
          {"earned", finding.not_earned.empty()},
          {"why", finding.not_earned}};
}

json gpu(int index, bool well, const std::string& cause) {
  return {{"event", "gpu"}, {"index", index}, {"state", well ? "well" : "quarantined"}, {"cause", cause}};
}

json finish(const std::map<std::string, int>& counts, int exit, double t_ms) {
  return {{"event", "finish"}, {"counts", counts}, {"exit", exit}, {"t_ms", rounded(t_ms)}};
}

std::string file_hash(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  uint64_t hash = 0xcbf29ce484222325u;
  std::vector<char> block(1 << 20);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    for (std::streamsize i = 0; i < file.gcount(); ++i)
      hash = (hash ^ static_cast<unsigned char>(block[static_cast<size_t>(i)])) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

std::string utc(std::time_t seconds) {
  std::tm tm = {};
  gmtime_r(&seconds, &tm);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
                     tm.tm_hour, tm.tm_min, tm.tm_sec);
}

}  // namespace cudasem::events
