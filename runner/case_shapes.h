// Finds cases that are copies of each other: the same code once names and literals are erased. One of them
// shows nothing new.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "problem.h"

namespace cudasem {

class CaseShapes {
 public:
  /// Looks at the cases in `text`, the file `file` of cases/. A case whose shape is that of an earlier one
  /// becomes an error at its head. MEASURE cases may be alike: each fills a row of one table.
  void add(const std::string& file, std::string_view text, std::vector<Problem>& problems);

 private:
  std::map<std::string, std::string> first_ = {};  ///< shape → the case that had it first, with its place
};

}  // namespace cudasem
