#include "recordings.h"

#include "judge.h"

namespace cudasem {

Recordings Recordings::load(const std::filesystem::path& folder, std::vector<Problem>& problems) {
  std::vector<Log> logs;
  for (const auto& file : find_logs(folder)) {
    const std::string name = "reports/recorded/" + file.lexically_relative(folder).generic_string();
    try {
      logs.push_back(read_log(file));
      logs.back().file = name;
    } catch (const LogError& error) {
      problems.push_back({Severity::error, name, 0, error.what()});
    }
  }
  return Recordings(std::move(logs));
}

Evidence Recordings::evidence(const Expectation& entry, std::string_view hash, std::string_view torch) const {
  const auto release = Version::parse(torch);
  for (const auto& log : logs_) {
    for (const auto& recorded : log.entries) {
      const bool same_case = recorded.id() == entry.id && recorded.hash() == hash;
      if (!same_case || Version::parse(recorded.subject.torch) != release || recorded.attempts.empty())
        continue;
      if (entry.conditions.hold(recorded.subject) && !mismatch(entry, recorded.attempts.back()))
        return Evidence::measured;
    }
  }
  return Evidence::inferred;
}

}  // namespace cudasem
