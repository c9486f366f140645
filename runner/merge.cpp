#include "merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include "rejudge.h"

namespace cudasem {

using nlohmann::json;

namespace {

struct Shard {
  int index = 0, count = 0;
};

Shard shard_of(const Log& log) {
  const json word = log.run.is_object() ? log.run.value("shard", json()) : json();
  Shard shard;
  char rest = 0;
  if (!word.is_string() ||
      sscanf(word.get<std::string>().c_str(), "%d/%d%c", &shard.index, &shard.count, &rest) != 2)
    throw LogError(fmt::format("{}: the log of one shard (`cudasem run --shard I/N`) was expected, found {}",
                               log.file.string(), log.run.is_object() ? "a whole run" : "no `run` event"));
  return shard;
}

json gpu_models(const Log& log) {
  json names = json::array();
  if (log.machine.is_object())
    for (const auto& gpu : log.machine.value("gpus", json::array())) names.push_back(gpu.value("name", ""));
  return names;
}

/// What has to be the same in all shards of a run.
json identity(const Log& log) {
  const auto of = [](const json& event, const char* field) {
    return event.is_object() ? event.value(field, json()) : json();
  };
  return {{"torch", of(log.subject, "torch")},
          {"case binaries", of(log.subject, "binaries")},
          {"CUDA runtime", of(log.subject, "cuda_runtime")},
          {"driver", of(log.machine, "driver")},
          {"GPUs", gpu_models(log)},
          {"profile", of(log.run, "profile")},
          {"expectations", of(log.run, "expected_hash")}};
}

void check_same(const Log& first, const Log& other) {
  const json one = identity(first), two = identity(other);
  for (const auto& [what, value] : one.items())
    if (value != two[what])
      throw LogError(fmt::format("{} and {} are not shards of one run: {} {} and {}", first.file.string(),
                                 other.file.string(), what, value.dump(), two[what].dump()));
}

/// By shard. Throws LogError.
std::map<int, const Log*> in_order(const std::vector<Log>& shards) {
  if (shards.empty()) throw LogError("at least one log of a shard was expected");
  const int count = shard_of(shards.front()).count;
  std::map<int, const Log*> ordered;
  for (const auto& log : shards) {
    const Shard shard = shard_of(log);
    if (shard.count != count)
      throw LogError(fmt::format("{} is one of {} shards, {} one of {}: they are not of one run",
                                 shards.front().file.string(), count, log.file.string(), shard.count));
    if (const auto [found, added] = ordered.emplace(shard.index, &log); !added)
      throw LogError(fmt::format("{} and {} are both shard {}/{}: leave one out",
                                 found->second->file.string(), log.file.string(), shard.index, count));
    check_same(shards.front(), log);
  }
  return ordered;
}

json merged_run(const std::map<int, const Log*>& shards, bool complete) {
  const Log& first = *shards.begin()->second;
  json run = first.run;
  json ids = json::array();
  for (const auto& [index, log] : shards) {
    ids.push_back(log->run.value("id", ""));
    complete = complete && log->run.value("complete", false);
    run["utc"] = std::min(run.value("utc", ""), log->run.value("utc", ""));
  }
  run["id"] = fmt::format("{}-merged", first.run.value("id", ""));
  run["merged_from"] = ids;
  run["shard"] = nullptr;
  run["complete"] = complete;
  return run;
}

bool begins_a_log(const json& event) {
  const std::string word = event.at("event");
  return word == "run" || word == "machine" || word == "subject";
}

json merged_finish(const std::map<int, const Log*>& shards, bool all_there) {
  std::map<std::string, int> counts;
  int exit = all_there ? 0 : 2;
  double t_ms = 0;
  for (const auto& [index, log] : shards) {
    const bool finished = log->finish.is_object();
    exit = std::max(exit, finished ? log->finish.value("exit", 2) : 2);
    if (finished) t_ms = std::max(t_ms, log->finish.value("t_ms", 0.0));
    for (const auto& entry : log->entries) ++counts[entry.counted_as()];
  }
  return {{"event", "finish"}, {"counts", counts}, {"exit", exit}, {"t_ms", t_ms}};
}

}  // namespace

Merged merge(const std::vector<Log>& logs) {
  const auto shards = in_order(logs);
  Merged merged;
  for (int index = 1; index <= shard_of(logs.front()).count; ++index)
    if (!shards.contains(index)) merged.missing.push_back(index);
  const Log& first = *shards.begin()->second;
  merged.events = {merged_run(shards, merged.missing.empty()), first.machine, first.subject};
  std::map<std::string, const Log*> planned;
  for (const auto& [index, log] : shards) {
    for (const auto& event : log->events) {
      const std::string word = event.at("event");
      if (begins_a_log(event) || word == "finish") continue;
      if (word == "plan")
        if (const auto [found, added] = planned.emplace(event.at("key"), log); !added)
          throw LogError(fmt::format("{} is planned in {} and in {}: they are not shards of one run",
                                     event.value("id", ""), found->second->file.string(),
                                     log->file.string()));
      merged.events.push_back(event);
    }
  }
  merged.events.push_back(merged_finish(shards, merged.missing.empty()));
  return merged;
}

int merge_command(const MergeOptions& options, std::ostream& out, std::ostream& err) {
  try {
    std::vector<Log> logs;
    for (const auto& file : options.logs) logs.push_back(read_log(file));
    const Merged merged = merge(logs);
    write_log(options.out, merged.events);
    const json& finish = merged.events.back();
    if (!merged.missing.empty())
      err << fmt::format("not a valid run: shard{} {} of {} missing\n", merged.missing.size() > 1 ? "s" : "",
                         fmt::join(merged.missing, ", "), merged.missing.size() + logs.size());
    std::string counts;
    for (const auto& [verdict, count] : finish["counts"].items())
      counts += fmt::format(", {} {}", count.get<int>(), verdict);
    out << fmt::format("{} shards{}\nwrote {}\n", logs.size(), counts, options.out.string());
    return finish["exit"];
  } catch (const LogError& error) {
    err << error.what() << "\n";
    return 2;
  }
}

}  // namespace cudasem
