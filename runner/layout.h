// Where the parts of cudasem lie: a source tree, or a bundle beside this program.
#pragma once

#include <filesystem>

namespace cudasem::layout {

/// "0.1.0"
const char* version();

/// The folder of this program.
std::filesystem::path program_dir();

/// The folder that holds expected/ and reports/: the source tree if it is there, else
/// <program>/../share/cudasem.
std::filesystem::path home();

/// $CUDASEM_CASES, else <program>/../cases.
std::filesystem::path default_cases();

}  // namespace cudasem::layout
