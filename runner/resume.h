// A run that was cut short, read back so that it can go on in its own log.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "event_log.h"
#include "log_reader.h"
#include "survey.h"

namespace cudasem {

struct Earlier {
  Log log = {};
  std::unique_ptr<EventLog> writer = {};      ///< keeps others from resuming it, too
  double t_ms = 0;                            ///< of its last event
  std::map<std::string, int> begun = {};      ///< attempts of each key
  std::map<std::string, double> lasted = {};  ///< milliseconds of each key's last attempt

  /// The entry of a case whose verdict stands; null if it has to run: it has none, or had no process because
  /// a GPU was lost or the deadline came first.
  const LogEntry* finished(const std::string& key) const;
  double ms(const std::string& key) const;
};

/// Throws std::runtime_error for a log that cannot go on: compressed, without its head, written by `judge`,
/// or of an exam (`--stress`).
Earlier read_earlier(const std::filesystem::path& file);

/// Throws std::runtime_error that names what is not as it was: torch, case binaries, GPUs, profile,
/// expectations, environment.
void check_same_run(const Earlier& earlier, const Survey& survey);

/// What a run was asked for, as far as its results depend on it: for its `run` event.
nlohmann::json asked(const RunOptions& options);

/// Options that ask for what the earlier run was asked for. A selection that is given must be that of the
/// run; throws std::runtime_error otherwise.
void ask_for_the_same(const Earlier& earlier, RunOptions& options);

/// The ids of what somebody has to look at in a log. Throws std::runtime_error if there is nothing.
std::vector<std::string> not_as_expected_in(const std::filesystem::path& file);

}  // namespace cudasem
