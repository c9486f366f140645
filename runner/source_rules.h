// What the sources of cases may not contain, looked for in their text: no sleeping, no assertion on time, no
// expected error text, no file that is two, no two cases that are one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "problem.h"

namespace cudasem {

/// All C++ and Python sources in cases/, runner/, reports/ and ci/ under `source_dir`, as far as these exist.
std::vector<Problem> check_sources(const std::filesystem::path& source_dir);

/// One file; `file` is its name relative to the source tree, which decides the rules that hold for it.
std::vector<Problem> check_source(const std::string& file, std::string_view text);

/// The text with comments and the insides of literals blanked; every character keeps its place.
std::string code_only(std::string_view text);

}  // namespace cudasem
