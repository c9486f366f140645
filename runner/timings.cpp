#include "timings.h"

#include <algorithm>

#include "version.h"

namespace cudasem {

namespace {

std::string utc(const Log& log) {
  return log.run.is_object() ? log.run.value("utc", "") : "";
}

const Log* newest(const std::vector<Log>& logs, const std::string& torch) {
  const Log* result = nullptr;
  for (const auto& log : logs) {
    if (!torch.empty() && Version::parse(log.torch()) != Version::parse(torch)) continue;
    if (!result || utc(*result) < utc(log)) result = &log;
  }
  return result;
}

}  // namespace

std::map<std::string, double> recorded_times(const std::vector<Log>& logs, const std::string& torch) {
  const Log* log = newest(logs, torch);
  if (!log) log = newest(logs, "");
  std::map<std::string, double> times;
  if (!log) return times;
  std::map<std::string, std::string> ids;
  for (const auto& entry : log->entries) ids[entry.key] = entry.id();
  for (const auto& event : log->events) {
    if (event.value("event", "") != "end" || !event.contains("ms") || !event["ms"].is_number()) continue;
    const auto id = ids.find(event.value("key", ""));
    if (id != ids.end() && event["ms"] > 0) times[id->second] = event["ms"];
  }
  return times;
}

double usual_time(const std::map<std::string, double>& times) {
  if (times.empty()) return 1;
  std::vector<double> sorted;
  for (const auto& [id, ms] : times) sorted.push_back(ms);
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                   sorted.end());
  return std::max(1.0, sorted[sorted.size() / 2]);
}

}  // namespace cudasem
