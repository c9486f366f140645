// The command `run`: plan, processes, verdicts, log. INTERPRETING.md section 9 is about its exit status.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan.h"
#include "status.h"

namespace cudasem {

struct RunOptions {
  std::filesystem::path cases = {};     ///< folder of case binaries
  std::filesystem::path expected = {};  ///< folder expected/
  std::filesystem::path recorded =
      {};                            ///< folder of recorded logs, for evidence and the floor; may be missing
  std::filesystem::path torch = {};  ///< another libtorch than the one that was built against; may be empty
  std::filesystem::path waivers = {};  ///< a file of waivers; may be empty
  std::filesystem::path out = {};      ///< the log; a folder (`logs/`) takes one with the default name
  Selection selection = {};
  int jobs = 0;
  bool isolate_all = false;              ///< a process for each case, whatever it has earned
  std::optional<uint64_t> shuffle = {};  ///< seed: order and batches by chance
  bool stress = false;                   ///< the entry exam instead of one result each
  int repeat = 1, retry = 0;
  std::filesystem::path resume = {};                  ///< log of a run that was cut short, to go on in
  std::optional<std::chrono::seconds> deadline = {};  ///< after it nothing starts any more
  bool ctest = false;
  std::vector<std::string> require = {};  ///< "gpus>=1", as conditions of expectations are written
  std::string profile = "native";
  std::map<std::string, std::string> environment =
      {};  ///< what the profile has set, for lines that reproduce
  std::vector<std::string> argv = {};
};

/// Returns the exit status. What makes a run not valid from the start is thrown as std::runtime_error (exit
/// 2).
int run_command(const RunOptions& options, Status& status);

}  // namespace cudasem
