// The recorded logs as evidence: which expectations have been seen to hold.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "expectation.h"
#include "log_reader.h"
#include "problem.h"

namespace cudasem {

class Recordings {
 public:
  Recordings() = default;
  explicit Recordings(std::vector<Log> logs) : logs_(std::move(logs)) {}

  /// Reads all logs of a folder; one that cannot be read becomes a problem.
  static Recordings load(const std::filesystem::path& folder, std::vector<Problem>& problems);

  const std::vector<Log>& logs() const { return logs_; }

  /// Measured: a recording of the same case hash, release of torch and profile shows what the entry says.
  Evidence evidence(const Expectation& entry, std::string_view hash, std::string_view torch) const;

 private:
  std::vector<Log> logs_ = {};
};

}  // namespace cudasem
