// One entry of expected/<area>.toml, and its form in the log (INTERPRETING.md sections 6 and 8).
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conditions.h"
#include "outcome.h"

namespace re2 {
class RE2;
}

namespace cudasem {

/// A regular expression (RE2's syntax) that is searched for in normalised text, in time linear in the text.
class Pattern {
 public:
  /// Throws std::invalid_argument, saying what is wrong with it.
  explicit Pattern(std::string written);
  bool found_in(std::string_view text) const;
  const std::string& written() const { return written_; }

 private:
  std::string written_;
  std::shared_ptr<const re2::RE2> regex_;
};

/// One effect that must be seen. What is not set is not compared, except that `code` and `type` say "error".
struct ExpectedEffect {
  Outcome outcome = Outcome::ok;
  std::string at = {};
  std::string type = {};
  std::optional<int> code = {};
  std::optional<Pattern> text = {};
  std::string memory_class = {};  ///< corrupt ("class")
  std::string want = {};          ///< corrupt
  std::string got = {};           ///< corrupt; "any" matches all
  std::string signal = {};        ///< crash by a signal
  std::optional<int> exit = {};   ///< crash by an exit status
  std::string detail = {};        ///< skip
};

/// One course that a case may take: the deciding effect and all others, in order.
struct ExpectedCourse {
  ExpectedEffect first = {};
  std::vector<ExpectedEffect> then = {};
};

/// An exact value, or a number between `min` and `max` (either may be left out).
struct ExpectedFact {
  std::optional<nlohmann::json> exact = {};
  std::optional<double> min = {};
  std::optional<double> max = {};
};

struct Expectation {
  std::string id = {};
  Conditions conditions = {};
  std::vector<ExpectedCourse> courses = {};  ///< more than one: `one_of`. Never empty.
  std::map<std::string, ExpectedFact> facts = {};
  std::optional<Pattern> warning = {};
  std::string why = {};
  std::string link = {};
  bool bug = false;
  std::string review_by = {};  ///< "2027-06-01"
  std::string file = {};       ///< "expected/replay.toml"
  int line = 0;

  /// "expected/replay.toml:14"
  std::string where() const;
};

enum class Evidence { measured, inferred };
std::string_view name(Evidence evidence);

/// The `expectation` member of a `plan` event: the entry as it is written, with `where`, `conditions` and
/// `evidence`.
nlohmann::json to_json(const Expectation& entry, Evidence evidence);

/// Back from a log. Throws std::runtime_error that names what is wrong.
Expectation expectation_from_json(const nlohmann::json& json, std::string id);

/// For a case without an entry: `{"outcome": "ok", "where": "default"}`, or null for a misuse's wrong way.
nlohmann::json default_expectation(Kind kind, std::string_view way);

/// "error 900 at item, then error 901 at capture_end", for reasons and lists.
std::string text(const ExpectedEffect& effect);
std::string text(const ExpectedCourse& course);
std::string text(const Expectation& entry);

}  // namespace cudasem
