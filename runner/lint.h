// The command `lint`: what can be known to be wrong without running anything.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "case_info.h"
#include "expectations.h"
#include "problem.h"
#include "recordings.h"

namespace cudasem {

struct LintInput {
  const Expectations& expectations;
  const Recordings& recordings;
  std::optional<std::vector<CaseInfo>> catalog = {};  ///< nothing if no case binary could be asked
  std::filesystem::path source_dir = {};              ///< the folder that holds cases/ and runner/
  std::string today = {};                             ///< "2026-11-30", for review_by
};

/// All problems, by file and line.
std::vector<Problem> lint(const LintInput& input);

struct LintOptions {
  std::filesystem::path source_dir = {};  ///< holds cases/, expected/ and reports/recorded/
  std::optional<std::vector<CaseInfo>> catalog = {};
  bool without_cases = false;           ///< asked for; else a missing catalog is an error
  std::string no_catalog_because = {};  ///< said aloud when there is no catalog
  bool coverage = false;                ///< print what is cited, by section; rows.toml; and tables
  bool verbose = false;                 ///< list the evidence of every entry
};

/// Returns 0, or 2 if there are errors or cases could not be read.
int lint_command(const LintOptions& options, std::ostream& out);

}  // namespace cudasem
