// Waivers: results that a team knows of and lives with until a date. They are run and shown, and not counted.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "outcome.h"
#include "problem.h"
#include "toml_tree.h"

namespace cudasem {

struct Waiver {
  std::string id = {};  ///< "replay.kept_graph/wrong"
  Outcome outcome = Outcome::fail;
  std::string owner = {};    ///< who sees to it
  std::string link = {};     ///< https://…, where it is seen to
  std::string expires = {};  ///< "2027-01-31": the last day on which it holds
  int line = 0;              ///< in its file

  /// `today` as "2026-11-30".
  bool expired(const std::string& today) const { return expires < today; }
};

/// What a `verdict` says of it: owner, link, expires.
nlohmann::json to_json(const Waiver& waiver);
/// Back from such a `verdict`; what it does not say stays empty.
Waiver waiver_from_json(const nlohmann::json& json);

/// "until 2027-01-31: graphs team, https://…"
std::string text(const Waiver& waiver);
/// What whoever reads of the run must know of one that has expired.
std::string expired_text(const Waiver& waiver);

class Waivers {
 public:
  /// A file of [[waiver]] tables. What is wrong is added to `problems` under `file`: unknown fields, a
  /// missing owner or link, an id waived twice for one outcome.
  static Waivers read(const TomlTree& tree, const std::string& file, const std::string& today,
                      std::vector<Problem>& problems);
  /// The same from a file, as of today; none for an empty name.
  static Waivers load(const std::filesystem::path& file, std::vector<Problem>& problems);

  /// The one that holds today for this result; null if there is none.
  const Waiver* find(const std::string& id, Outcome outcome) const;
  /// Those whose day has passed: they waive nothing any more.
  std::vector<Waiver> expired() const;
  const std::vector<Waiver>& all() const { return all_; }

 private:
  std::vector<Waiver> all_;
  std::string today_;
};

/// Today in UTC, as "2026-11-30".
std::string today();

}  // namespace cudasem
