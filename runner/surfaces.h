// Everything that shows a run: the terminal always, files and annotations where asked for.
#pragma once

#include <filesystem>

#include "run.h"

namespace cudasem {

struct Surfaces {
  std::filesystem::path junit = {}, json = {};  ///< `json` may be `-`; empty: none
  bool github = false;                          ///< also without it where GITHUB_ACTIONS is true
};

/// `run_command` under the eyes of them all. A run that throws has told them why.
int watched_run(const RunOptions& options, const Surfaces& surfaces);

}  // namespace cudasem
