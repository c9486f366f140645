#include "problem.h"

#include <fmt/format.h>

#include <algorithm>

namespace cudasem {

std::string text(const Problem& problem) {
  std::string place = problem.file;
  if (problem.line > 0) place += fmt::format(":{}", problem.line);
  if (!place.empty()) place += ": ";
  return fmt::format("{}{}: {}", place, problem.severity == Severity::error ? "error" : "warning",
                     problem.message);
}

bool has_errors(const std::vector<Problem>& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Problem& problem) { return problem.severity == Severity::error; });
}

}  // namespace cudasem
