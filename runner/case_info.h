// What a case says of itself (`--list`), as the runner carries it from the catalog to the log.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "outcome.h"

namespace cudasem {

/// One case with all its ways. INTERPRETING.md section 3 describes each member.
struct CaseInfo {
  std::string name = {};  ///< "area.name"
  Kind kind = Kind::rule;
  std::vector<std::string> ways = {};
  std::string title = {};
  std::vector<std::string> claims = {};
  std::vector<std::string> links = {};
  int needs_gpus = 1;
  std::vector<std::string> needs_features = {};
  bool needs_caching = false;
  std::vector<std::string> lacks = {};
  std::map<std::string, std::string> env = {};  ///< what its process is started with
  std::string isolation = "process";
  double time_limit_s = 10;
  std::string file = {};
  int line = 0;
  std::string source = {};
  std::string hash = {};

  /// "area.name" or one "area.name/way" for each way.
  std::vector<std::string> ids() const;
  /// Whether this way ("" where there are none) may run in one process with others of its area.
  bool shares(std::string_view way) const;
};

/// Throws std::runtime_error naming the member that is missing or wrong.
CaseInfo case_info_from_json(const nlohmann::json& json);

}  // namespace cudasem
