// What was observed of one case, in the vocabulary of INTERPRETING.md. Plain data, no behaviour but names and
// JSON.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudasem {

enum class Outcome { ok, error, corrupt, fail, crash, hang, skip, missing };
enum class Kind { rule, misuse, observe, measure };
enum class Verdict { as_expected, regression, improvement, changed, flaky, missing, skipped };

/// The word used in logs and expectations; `parse_*` returns nothing for a word that is not in the
/// vocabulary.
std::string_view name(Outcome outcome);
std::string_view name(Kind kind);
std::string_view name(Verdict verdict);
std::optional<Outcome> parse_outcome(std::string_view word);
std::optional<Kind> parse_kind(std::string_view word);
std::optional<Verdict> parse_verdict(std::string_view word);

/// One thing that went otherwise than ok. Fields that the outcome does not have stay empty.
struct Effect {
  Outcome outcome = Outcome::ok;
  std::string at = {};            ///< attempt label, oracle, or file:line
  std::string type = {};          ///< error: exception type
  std::optional<int> code = {};   ///< error: CUDA error code
  std::string text = {};          ///< raw
  std::string normalised = {};    ///< what is matched and compared
  std::string memory_class = {};  ///< corrupt: overwritten, stale, unordered ("class" in JSON)
  std::string want = {};          ///< corrupt
  std::string got = {};           ///< corrupt
  bool setup = false;             ///< fail: a requirement, not an oracle
};

/// Everything observed in one attempt at one case.
struct Observed {
  Outcome outcome = Outcome::missing;
  std::string detail = {};  ///< setup, unsupported, no_begin … (INTERPRETING.md section 5)
  std::string at = {};
  std::string text = {};  ///< raw text of the deciding effect, or the crash text
  std::vector<Effect> effects = {};
  std::map<std::string, nlohmann::json> facts = {};
  std::vector<nlohmann::json> rows = {};  ///< measure: {"table": …, "cells": {…}}, in order
  std::vector<std::string> warnings = {};
  std::string signal = {};  ///< "SIGABRT"; empty if none
  std::optional<int> exit = {};
};

nlohmann::json to_json(const Effect& effect);
Effect effect_from_json(const nlohmann::json& json);

/// `signal` and `exit` become null when absent. Throws nlohmann::json::exception for a missing or mistyped
/// member, std::runtime_error for a number that does not fit.
nlohmann::json to_json(const Observed& observed);
Observed observed_from_json(const nlohmann::json& json);

/// What expectations' conditions are tested against.
struct Subject {
  std::string torch = {};   ///< "2.14.1+cu130"
  std::string cuda = {};    ///< runtime in use, "13.0"
  std::string driver = {};  ///< "580.159.03"; empty without one
  std::string cc = {};      ///< of the GPU used, "9.0"; empty without one
  int gpus = 0;
  std::string profile = "native";
};

}  // namespace cudasem
