// The command `merge`: the shards of one run become one log.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "log_reader.h"

namespace cudasem {

struct Merged {
  std::vector<nlohmann::json> events = {};
  std::vector<int> missing = {};  ///< shards of which there is no log; the run is then not valid
};

/// Results as of an unsharded run; `merged_from` names the shards. Throws LogError for logs that are not
/// shards of one run: another number of shards, the same shard twice, another torch, binaries, driver, GPU
/// model, profile or expectations.
Merged merge(const std::vector<Log>& shards);

struct MergeOptions {
  std::vector<std::filesystem::path> logs = {};
  std::filesystem::path out = {};  ///< must not exist
};

/// Returns an exit status as in INTERPRETING.md section 9: 2 if a shard is missing or was not valid.
int merge_command(const MergeOptions& options, std::ostream& out, std::ostream& err);

}  // namespace cudasem
