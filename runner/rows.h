// expected/rows.toml: the rows of PyTorch's CUDA semantics note, each with its spellings and the cases that
// show them.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "case_info.h"
#include "problem.h"
#include "recordings.h"
#include "toml_tree.h"

namespace cudasem {

/// One way to say or to combine what the row is about, or one misuse that belongs to it.
struct Spelling {
  std::string text = {};
  std::vector<std::string> cases = {};  ///< "area.name"
  int line = 0;
};

struct Row {
  std::string id = {};     ///< "A1"
  std::string title = {};  ///< in our words
  std::string link = {};   ///< https://…
  std::vector<Spelling> spellings = {};
  int line = 0;
};

/// What is wrong is added to `problems` under `file`.
std::vector<Row> read_rows(const TomlTree& tree, const std::string& file, std::vector<Problem>& problems);

/// A case that does not exist is an error at its spelling.
std::vector<Problem> check_rows(const std::vector<Row>& rows, const std::string& file,
                                const std::vector<CaseInfo>& cases);

/// The table of `lint --coverage`: for each spelling how many of its cases need no GPU, one and more, and the
/// releases on which a recording shows all those that one GPU can run, as they are today.
void print_rows(const std::vector<Row>& rows, const std::vector<CaseInfo>& cases,
                const Recordings& recordings, std::ostream& out);

}  // namespace cudasem
