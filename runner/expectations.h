// All of expected/: loaded, checked, and asked which entry applies.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "case_info.h"
#include "claims.h"
#include "expectation.h"
#include "problem.h"
#include "releases.h"
#include "rows.h"

namespace cudasem {

/// Loading never throws: what cannot be read becomes a problem, and everything else is still there. Whoever
/// judges must look at `has_errors(problems())` first.
class Expectations {
 public:
  /// Reads every *.toml of a folder, or of several with `:` between them ("expected:team/expected"): a team's
  /// own beside the suite's. Problems name files as "expected/<name>", wherever the first folder is, and
  /// those of others by the folder's own name.
  static Expectations load(const std::filesystem::path& folders);

  /// The entry that applies, or null. Never two: that is among the problems. In a profile for which none was
  /// written the one for `native` applies.
  const Expectation* find(std::string_view id, const Subject& subject) const;

  /// What is wrong with the files themselves: no catalog is needed for it.
  const std::vector<Problem>& problems() const { return problems_; }

  /// What is wrong with entries given the cases there are: unknown ids and ways, entries of a rule that lack
  /// `bug` and `review_by`. Entries of areas without any case in `cases` (not compiled) are warned of, not
  /// checked.
  std::vector<Problem> check_entries(const std::vector<CaseInfo>& cases) const;

  /// The same, and gaps in the entries of a misuse's wrong way.
  std::vector<Problem> check(const std::vector<CaseInfo>& cases) const;

  const std::vector<Expectation>& entries() const { return entries_; }
  const std::vector<Release>& releases() const { return releases_; }  ///< oldest first
  const std::vector<ClaimSection>& claims() const { return claims_; }
  const std::vector<Row>& rows() const { return rows_; }

  /// Over names and contents of the files that say what is expected, 16 hexadecimal digits: `expected_hash`
  /// of a run.
  const std::string& hash() const { return hash_; }

 private:
  void read_file(const std::filesystem::path& path, const std::string& file, const std::string& document);
  void read_claims_file(const std::filesystem::path& path, const std::string& file);

  std::vector<Expectation> entries_ = {};
  std::vector<Release> releases_ = {};
  std::vector<ClaimSection> claims_ = {};
  std::vector<Row> rows_ = {};
  std::vector<Problem> problems_ = {};
  std::string hash_ = {};
};

}  // namespace cudasem
