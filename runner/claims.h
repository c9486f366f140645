// expected/claims.toml: the documented statements that cases cite.
#pragma once

#include <string>
#include <vector>

#include "case_info.h"
#include "problem.h"
#include "toml_tree.h"

namespace cudasem {

struct Claim {
  std::string id = {};         ///< "cap.sync.item"
  std::string section = {};    ///< groups claims in tables; may be empty
  std::string statement = {};  ///< what the document promises, in a sentence
  std::string source = {};     ///< which document
  std::string link = {};       ///< https://…
  int line = 0;
};

/// What is wrong is added to `problems` under `file`.
std::vector<Claim> read_claims(const TomlTree& tree, const std::string& file, std::vector<Problem>& problems);

/// Claims that a case cites and nobody wrote down are errors, claims that no case cites too.
std::vector<Problem> check_claims(const std::vector<Claim>& claims, const std::vector<CaseInfo>& cases);

}  // namespace cudasem
