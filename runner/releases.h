// expected/releases.toml: the releases of torch that are supported.
#pragma once

#include <string>
#include <vector>

#include "problem.h"
#include "toml_tree.h"
#include "version.h"

namespace cudasem {

struct Release {
  std::string torch = {};         ///< "2.14.1"
  std::string cuda_toolkit = {};  ///< "13.0.3", PyPI's cuda-toolkit
};

/// Oldest first; the file must be written that way too. What is wrong is added to `problems` under `file`.
std::vector<Release> read_releases(const TomlTree& tree, const std::string& file,
                                   std::vector<Problem>& problems);

}  // namespace cudasem
