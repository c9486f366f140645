// The floor under a run: it must execute nearly all that the newest comparable recorded run executed, so that
// cases cannot vanish in silence (INTERPRETING.md section 9).
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "log_reader.h"

namespace cudasem {

struct Floor {
  std::string file = {};           ///< of the recorded log, its name only
  std::set<std::string> ids = {};  ///< what it executed

  /// Why a run that executed `executed` is below 95 % of it; nothing if it is not.
  std::optional<std::string> missed_by(const std::set<std::string>& executed) const;
};

/// Ids with a result that is neither skip nor missing.
std::set<std::string> executed_ids(const Log& log);

/// From the newest of `logs` with the release, GPU count and profile of `subject` that has a `finish`.
std::optional<Floor> find_floor(const std::vector<Log>& logs, const Subject& subject);

}  // namespace cudasem
