#include "outcome.h"

#include <array>
#include <utility>

#include "json_reading.h"
#include "normalise.h"

namespace cudasem {

namespace {

template <typename Enum, size_t N>
using Words = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Words<Outcome, 8> outcomes = {{{Outcome::ok, "ok"},
                                         {Outcome::error, "error"},
                                         {Outcome::corrupt, "corrupt"},
                                         {Outcome::fail, "fail"},
                                         {Outcome::crash, "crash"},
                                         {Outcome::hang, "hang"},
                                         {Outcome::skip, "skip"},
                                         {Outcome::missing, "missing"}}};
constexpr Words<Kind, 4> kinds = {
    {{Kind::rule, "rule"}, {Kind::misuse, "misuse"}, {Kind::observe, "observe"}, {Kind::measure, "measure"}}};
constexpr Words<Verdict, 7> verdicts = {{{Verdict::as_expected, "as_expected"},
                                         {Verdict::regression, "regression"},
                                         {Verdict::improvement, "improvement"},
                                         {Verdict::changed, "changed"},
                                         {Verdict::flaky, "flaky"},
                                         {Verdict::missing, "missing"},
                                         {Verdict::skipped, "skipped"}}};

template <typename Enum, size_t N>
std::string_view word_of(const Words<Enum, N>& words, Enum value) {
  for (const auto& [each, word] : words)
    if (each == value) return word;
  return "?";
}

template <typename Enum, size_t N>
std::optional<Enum> value_of(const Words<Enum, N>& words, std::string_view word) {
  for (const auto& [value, each] : words)
    if (each == word) return value;
  return std::nullopt;
}

/// A missing or null member keeps `into` as it is; a mistyped one throws.
template <typename T>
void read(const nlohmann::json& json, const char* key, T& into) {
  if (auto member = json.find(key); member != json.end() && !member->is_null()) member->get_to(into);
}

void read(const nlohmann::json& json, const char* key, std::optional<int>& into) {
  if (auto member = json.find(key); member != json.end() && !member->is_null())
    into = whole_number(*member, key);
}

Outcome read_outcome(const nlohmann::json& json) {
  const auto& word = json.at("outcome").get_ref<const std::string&>();
  if (auto outcome = parse_outcome(word)) return *outcome;
  throw nlohmann::json::other_error::create(501, "\"" + word + "\" is not an outcome", &json);
}

}  // namespace

std::string_view name(Outcome outcome) {
  return word_of(outcomes, outcome);
}
std::string_view name(Kind kind) {
  return word_of(kinds, kind);
}
std::string_view name(Verdict verdict) {
  return word_of(verdicts, verdict);
}
std::optional<Outcome> parse_outcome(std::string_view word) {
  return value_of(outcomes, word);
}
std::optional<Kind> parse_kind(std::string_view word) {
  return value_of(kinds, word);
}
std::optional<Verdict> parse_verdict(std::string_view word) {
  return value_of(verdicts, word);
}

nlohmann::json to_json(const Effect& effect) {
  nlohmann::json json = {{"outcome", name(effect.outcome)}};
  auto put = [&json](const char* key, const std::string& value) {
    if (!value.empty()) json[key] = valid_utf8(value);
  };
  put("at", effect.at);
  put("type", effect.type);
  if (effect.code) json["code"] = *effect.code;
  put("text", effect.text);
  put("normalised", effect.normalised);
  put("class", effect.memory_class);
  put("want", effect.want);
  put("got", effect.got);
  if (effect.setup) json["setup"] = true;
  return json;
}

Effect effect_from_json(const nlohmann::json& json) {
  Effect effect;
  effect.outcome = read_outcome(json);
  read(json, "at", effect.at);
  read(json, "type", effect.type);
  read(json, "code", effect.code);
  read(json, "text", effect.text);
  read(json, "normalised", effect.normalised);
  read(json, "class", effect.memory_class);
  read(json, "want", effect.want);
  read(json, "got", effect.got);
  read(json, "setup", effect.setup);
  return effect;
}

nlohmann::json to_json(const Observed& observed) {
  nlohmann::json json = {{"outcome", name(observed.outcome)},
                         {"detail", valid_utf8(observed.detail)},
                         {"at", valid_utf8(observed.at)},
                         {"text", valid_utf8(observed.text)},
                         {"effects", nlohmann::json::array()},
                         {"facts", nlohmann::json::object()},
                         {"warnings", nlohmann::json::array()},
                         {"signal", nullptr},
                         {"exit", nullptr}};
  for (const auto& effect : observed.effects) json["effects"].push_back(to_json(effect));
  for (const auto& [key, value] : observed.facts) json["facts"][valid_utf8(key)] = value;
  if (!observed.rows.empty()) json["rows"] = observed.rows;
  for (const auto& warning : observed.warnings) json["warnings"].push_back(valid_utf8(warning));
  if (!observed.signal.empty()) json["signal"] = observed.signal;
  if (observed.exit) json["exit"] = *observed.exit;
  return json;
}

Observed observed_from_json(const nlohmann::json& json) {
  Observed observed;
  observed.outcome = read_outcome(json);
  json.at("detail").get_to(observed.detail);
  json.at("at").get_to(observed.at);
  json.at("text").get_to(observed.text);
  for (const auto& effect : json.at("effects")) observed.effects.push_back(effect_from_json(effect));
  json.at("facts").get_to(observed.facts);
  if (json.contains("rows")) json.at("rows").get_to(observed.rows);
  json.at("warnings").get_to(observed.warnings);
  read(json, "signal", observed.signal);
  read(json, "exit", observed.exit);
  return observed;
}

}  // namespace cudasem
