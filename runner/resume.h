// A run that was cut short, read back so that it can go on in its own log.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "log_reader.h"
#include "plan.h"
#include "survey.h"

namespace cudasem {

struct Earlier {
  Log log = {};
  Selection selection = {};               ///< what it was asked to run
  double t_ms = 0;                        ///< of its last event
  std::map<std::string, int> begun = {};  ///< attempts of each key

  /// The entry of a case with a verdict; null if it has to run.
  const LogEntry* finished(const std::string& key) const;
};

/// Throws std::runtime_error for a log that cannot go on: compressed, without its head, written by `judge`,
/// or of an exam (`--stress`).
Earlier read_earlier(const std::filesystem::path& file);

/// Throws std::runtime_error that names what is not as it was: torch, case binaries, GPUs, profile,
/// expectations, environment.
void check_same_run(const Earlier& earlier, const Survey& survey);

nlohmann::json to_json(const Selection& selection);
Selection selection_from_json(const nlohmann::json& json);

}  // namespace cudasem
