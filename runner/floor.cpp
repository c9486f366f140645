#include "floor.h"

#include <fmt/format.h>

#include <algorithm>

#include "version.h"

namespace cudasem {

std::optional<std::string> Floor::missed_by(const std::set<std::string>& executed) const {
  std::vector<std::string> lost;
  std::set_difference(ids.begin(), ids.end(), executed.begin(), executed.end(), std::back_inserter(lost));
  if (lost.size() * 20 <= ids.size()) return {};
  return fmt::format(
      "at least 95 % of the {} cases that {} executed were expected, {} of them did not run here, {} first. "
      "If they are gone on purpose, record a new run (reports/recorded/)",
      ids.size(), file, lost.size(), lost.front());
}

std::set<std::string> executed_ids(const Log& log) {
  std::set<std::string> ids;
  for (const auto& entry : log.entries) {
    if (entry.attempts.empty()) continue;
    const Outcome outcome = entry.attempts.back().outcome;
    if (outcome != Outcome::skip && outcome != Outcome::missing) ids.insert(entry.id());
  }
  return ids;
}

std::optional<Floor> find_floor(const std::vector<Log>& logs, const Subject& subject) {
  const Log* newest = nullptr;
  auto utc = [](const Log& log) { return log.run.value("utc", ""); };
  for (const auto& log : logs) {
    if (!log.run.is_object() || !log.machine.is_object() || !log.finish.is_object()) continue;
    if (log.finish.value("exit", 2) == 2) continue;  // not valid, or killed and judged again
    if (!log.run.value("complete", true)) continue;  // filtered; logs of old did not say
    if (log.run.contains("shard") && !log.run["shard"].is_null()) continue;  // a part
    if (Version::parse(log.torch()) != Version::parse(subject.torch)) continue;
    if (static_cast<int>(log.machine.value("gpus", nlohmann::json::array()).size()) != subject.gpus) continue;
    if (log.run.value("profile", "native") != subject.profile) continue;
    if (!newest || utc(*newest) < utc(log)) newest = &log;
  }
  if (!newest) return {};
  return Floor{newest->file.filename().string(), executed_ids(*newest)};
}

}  // namespace cudasem
