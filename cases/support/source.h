// The text of the cases of this executable, as compiled: embedded at build time, cut into cases, and hashed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudasem {

struct SourceFile {
  std::string_view path;  ///< from the project's root, as __FILE__ says it
  std::string_view text;
};

/// Every case file of this executable. Defined by a generated file.
const std::vector<SourceFile>& embedded_sources();

/// The line (1-based) on which the head of the case `area.name` begins; 0 if it is not in `text`. Compilers
/// disagree on what __LINE__ is in a macro call of several lines.
int line_of_case(std::string_view text, std::string_view area, std::string_view name);

/// The text of the case that begins on `line` (1-based) of `text`: up to and including the first line that is
/// `}`.
std::string cut_case(std::string_view text, int line);

/// 16 hex digits over what a case does: its body, and what stands in its file outside cases. Comments, white
/// space, includes and the head with its title are left out, so that rewording does not make a recorded run
/// stale.
std::string case_hash(std::string_view text, int line);

}  // namespace cudasem
