// What this machine and this libtorch are, and whether the GPUs are well.
#pragma once

#include <string>

namespace cudasem {

/// The `--probe` document. Allocates, launches and checks on every GPU.
std::string probe_json();

}  // namespace cudasem
