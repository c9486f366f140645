// expected/claims/*.toml: the documented statements that cases cite, a file a subject.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "case_info.h"
#include "problem.h"
#include "toml_tree.h"

namespace cudasem {

struct Claim {
  std::string id = {};         ///< "cap.sync.item"
  std::string statement = {};  ///< what the document promises, in a sentence
  std::string source = {};     ///< which document
  std::string link = {};       ///< https://…
  std::string reach = {};  ///< why C++ on one GPU cannot show it (two_gpus, python, advice); empty if it can
  int line = 0;
};

/// One file: a subject of the documentation and what cases cite of it.
struct ClaimSection {
  std::string name = {};
  std::string file = {};  ///< "expected/claims/capture.toml"
  int statements = 0;     ///< how many the documentation makes on the subject; 0 if nobody counted
  int in_reach = 0;       ///< of these, how many C++ on one GPU can show
  std::vector<Claim> claims = {};
};

/// What is wrong is added to `problems` under `file`.
ClaimSection read_claims(const TomlTree& tree, const std::string& file, std::vector<Problem>& problems);

/// An id in two files, a claim that a case cites and nobody wrote down, one that no case cites: errors.
std::vector<Problem> check_claims(const std::vector<ClaimSection>& sections,
                                  const std::vector<CaseInfo>& cases);

/// The table of `lint --coverage`: for each section the statements counted, those cited, the same for what
/// C++ on one GPU can show (cited by a case that needs no second one), and the cases.
void print_coverage(const std::vector<ClaimSection>& sections, const std::vector<CaseInfo>& cases,
                    std::ostream& out);

}  // namespace cudasem
