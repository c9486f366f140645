// One thing that is wrong with a file a person wrote, in the form that editors and CI annotate.
#pragma once

#include <string>
#include <vector>

namespace cudasem {

enum class Severity { error, warning };

struct Problem {
  Severity severity = Severity::error;
  std::string file = {};  ///< relative to the source tree, "expected/replay.toml"; may be empty
  int line = 0;           ///< 0: the whole file
  std::string message = {};
};

/// "expected/replay.toml:14: error: …"
std::string text(const Problem& problem);

bool has_errors(const std::vector<Problem>& problems);

}  // namespace cudasem
