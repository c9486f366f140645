// Reads event logs (INTERPRETING.md section 8), whole or torn, plain or compressed.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "case_info.h"
#include "outcome.h"

namespace cudasem {

constexpr int log_schema = 1;

/// What is wrong with a log, with file and line.
struct LogError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Everything that a log says of one key.
struct LogEntry {
  std::string key = {};
  nlohmann::json plan = {};             ///< the `plan` event
  Subject subject = {};                 ///< what conditions are tested against, for the GPU that was used
  std::vector<Observed> attempts = {};  ///< one for each `end`, in order; the last one counts
  nlohmann::json verdict = {};          ///< the last `verdict` event, or null

  /// The word under which a `finish` counts it: its verdict, `missing` without one, or `waived`.
  std::string counted_as() const;
  std::string id() const { return plan.value("id", ""); }
  std::string way() const { return plan.value("way", ""); }
  std::string hash() const { return plan.value("hash", ""); }
  std::string profile() const { return plan.value("profile", "native"); }
  Kind kind() const;
};

struct Log {
  std::filesystem::path file = {};
  std::vector<nlohmann::json> events = {};  ///< all, in order
  nlohmann::json run = {};                  ///< null if the log was cut before it
  nlohmann::json machine = {};
  nlohmann::json subject = {};
  nlohmann::json finish = {};          ///< null: the run was killed, or goes on
  std::vector<LogEntry> entries = {};  ///< in the order of the plan

  const LogEntry* find(std::string_view key) const;
  std::string torch() const { return subject.is_object() ? subject.value("torch", "") : ""; }
};

/// Plain or gzip by the first bytes. Whatever stands before a cut is there; a torn last line, and a torn gzip
/// stream, are ignored. Throws LogError for a file that cannot be read, a newer schema, and a broken line
/// before the last one.
Log read_log(const std::filesystem::path& file);

/// The same from memory; `name` is for messages.
Log read_log_text(std::string_view bytes, const std::filesystem::path& name);

/// Every *.ndjson and *.ndjson.gz under `folder`, sorted by name. A folder that does not exist holds none.
std::vector<std::filesystem::path> find_logs(const std::filesystem::path& folder);

}  // namespace cudasem
