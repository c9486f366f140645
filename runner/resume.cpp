#include "resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "events.h"
#include "status.h"

namespace cudasem {

using nlohmann::json;

namespace {

void same(std::string_view what, const json& then, const json& now, std::string_view remedy) {
  if (then == now) return;
  throw std::runtime_error(
      fmt::format("cannot resume: {} was {}, is now {}. {}", what, then.dump(), now.dump(), remedy));
}

json gpu_names(const json& machine) {
  json names = json::array();
  for (const auto& gpu : machine.value("gpus", json::array())) names.push_back(gpu.value("name", ""));
  return names;
}

json to_json(const Selection& selection) {
  return {{"ids", selection.globs},     {"areas", selection.areas}, {"kinds", selection.kinds},
          {"claims", selection.claims}, {"way", selection.way},     {"shard", selection.shard},
          {"shards", selection.shards}};
}

Selection selection_from_json(const json& json) {
  Selection selection;
  json.at("ids").get_to(selection.globs);
  json.at("areas").get_to(selection.areas);
  json.at("kinds").get_to(selection.kinds);
  json.at("claims").get_to(selection.claims);
  json.at("way").get_to(selection.way);
  json.at("shard").get_to(selection.shard);
  json.at("shards").get_to(selection.shards);
  return selection;
}

}  // namespace

const LogEntry* Earlier::finished(const std::string& key) const {
  const LogEntry* entry = log.find(key);
  if (!entry || !entry->verdict.is_object()) return nullptr;
  const std::string detail = entry->attempts.empty() ? "" : entry->attempts.back().detail;
  return detail == "deadline" || detail == "device_lost" ? nullptr : entry;
}

double Earlier::ms(const std::string& key) const {
  const auto found = lasted.find(key);
  return found == lasted.end() ? 0 : found->second;
}

json asked(const RunOptions& options) {
  return {{"selection", to_json(options.selection)},
          {"repeat", options.repeat},
          {"retry", options.retry},
          {"isolate_all", options.isolate_all},
          {"shuffle", options.shuffle ? json(*options.shuffle) : json()},
          {"stress", options.stress}};
}

void ask_for_the_same(const Earlier& earlier, RunOptions& options) {
  const json& asked = earlier.log.run.at("asked");
  const Selection was = selection_from_json(asked.at("selection"));
  if (to_json(options.selection) != to_json(Selection{})) {
    Selection wanted = options.selection;
    same("the selection", to_json(was), to_json(wanted), "Leave it away to take that of the run");
  }
  options.selection = was;
  asked.at("repeat").get_to(options.repeat);
  asked.at("retry").get_to(options.retry);
  asked.at("isolate_all").get_to(options.isolate_all);
  const json& seed = asked.at("shuffle");
  options.shuffle = seed.is_null() ? std::nullopt : std::optional(seed.get<uint64_t>());
}

std::vector<std::string> not_as_expected_in(const std::filesystem::path& file) {
  std::vector<std::string> ids;
  for (const auto& entry : read_log(file).entries) {
    const auto verdict = parse_verdict(entry.verdict.is_object() ? entry.verdict.value("verdict", "") : "");
    if (!verdict || !is_fine(*verdict)) ids.push_back(entry.id());
  }
  if (ids.empty())
    throw std::runtime_error(
        fmt::format("{}: everything in it is as expected: there is nothing to run again", file.string()));
  return ids;
}

Earlier read_earlier(const std::filesystem::path& file) {
  auto refuse = [&](std::string_view why) {
    throw std::runtime_error(fmt::format("cannot resume {}: {}", file.string(), why));
  };
  if (file.extension() == ".gz") refuse("it is compressed; gunzip it first");
  Earlier earlier;
  earlier.writer = EventLog::resume(file);
  earlier.log = read_log(file);
  const json& run = earlier.log.run;
  if (!run.is_object() || !earlier.log.machine.is_object() || !earlier.log.subject.is_object())
    refuse("it was cut before its first case; delete it and run anew");
  if (run.contains("judged_from")) refuse("`judge` wrote it; resume the log that it was made from");
  if (!run.contains("asked")) refuse("an older cudasem wrote it, which did not note what it was asked for");
  if (run.at("asked").value("stress", false))
    refuse("it is an entry exam (--stress), which is made in one go");
  for (const auto& event : earlier.log.events) {
    earlier.t_ms = std::max(earlier.t_ms, event.value("t_ms", 0.0));
    const std::string word = event.at("event");
    if (word == "begin") ++earlier.begun[event.at("key").get<std::string>()];
    if (word == "end") earlier.lasted[event.at("key").get<std::string>()] = event.value("ms", 0.0);
  }
  return earlier;
}

void check_same_run(const Earlier& earlier, const Survey& survey) {
  const json subject = events::subject(survey.built, survey.machine);
  const json &then = earlier.log.subject, &run = earlier.log.run;
  constexpr std::string_view anew = "Run anew, with another --out";
  same("torch", then.value("torch", json()), subject.at("torch"), anew);
  same("the CUDA runtime", then.value("cuda_runtime", json()), subject.at("cuda_runtime"), anew);
  for (const auto& [area, hash] : subject.at("binaries").items())
    same(fmt::format("the hash of cudasem_{}", area),
         then.value("binaries", json::object()).value(area, json()), hash,
         "The cases were rebuilt: run anew, with another --out");
  same("the list of GPUs", gpu_names(earlier.log.machine), gpu_names(events::machine(survey.machine)), anew);
  same("the profile", run.value("profile", json()), survey.subject.profile, "Give the same --profile");
  same("the environment", then.value("env", json()), subject.at("env"), "Set it as it was");
  same("the hash of expected/", run.value("expected_hash", json()), survey.expectations.hash(),
       "Run anew, or put the expectations back and `cudasem judge` the whole log afterwards");
}

}  // namespace cudasem
