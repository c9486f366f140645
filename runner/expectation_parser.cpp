#include "expectation_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "toml_fields.h"

namespace cudasem {

namespace {

using Keys = std::vector<std::string_view>;

const Keys signals = {"SIGABRT", "SIGBUS",  "SIGFPE",  "SIGHUP", "SIGILL",  "SIGINT", "SIGKILL",
                      "SIGPIPE", "SIGQUIT", "SIGSEGV", "SIGSYS", "SIGTERM", "SIGTRAP"};

/// The fields that describe an effect, by outcome; `outcome` itself left aside.
Keys effect_keys(Outcome outcome) {
  switch (outcome) {
    case Outcome::error:
      return {"at", "code", "type", "text"};
    case Outcome::corrupt:
      return {"at", "class", "want", "got"};
    case Outcome::crash:
      return {"at", "signal", "exit", "text"};
    case Outcome::hang:
      return {"at"};
    case Outcome::skip:
      return {"detail"};
    default:
      return {};
  }
}

bool may_have_then(Outcome outcome) {
  return outcome != Outcome::ok && outcome != Outcome::skip;
}

Keys joined(Keys keys, const Keys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

const Keys entry_keys = {"case",    "torch", "cuda",    "driver", "cc",   "gpus", "profile",  "one_of",
                         "outcome", "facts", "warning", "why",    "link", "bug",  "review_by"};

std::optional<Pattern> pattern(const TomlFields& fields, std::string_view key) {
  auto written = fields.string(key);
  if (!written) return std::nullopt;
  try {
    return Pattern(*written);
  } catch (const std::invalid_argument& error) {
    fields.problem(key, fmt::format("`{}`: {}", key, error.what()));
    return std::nullopt;
  }
}

void check_error(const TomlFields& fields) {
  fields.need("at", "the label of the attempt, or \"body\"");
  if (fields.has("code")) return;
  if (!fields.has("type") && !fields.has("text"))
    return fields.problem("outcome", "an error needs `code` (a CUDA error), or `type` and `text`");
  fields.need("type", "an error without `code` needs the exception's type, \"c10::Error\"");
  fields.need("text", "an error without `code` needs a regular expression that its text matches");
}

void check_crash(const TomlFields& fields, const ExpectedEffect& effect) {
  if (!fields.has("signal") && !fields.has("exit"))
    fields.problem("outcome", "a crash needs `signal` (\"SIGABRT\"), or `exit` (a status)");
  if (fields.has("signal") && fields.has("exit"))
    fields.problem("exit", "a crash has `signal` or `exit`, not both");
  if (effect.exit && (*effect.exit < 1 || *effect.exit > 255))
    fields.problem("exit", fmt::format("`exit` is {}: a status from 1 to 255 was expected", *effect.exit));
}

void check_effect(const TomlFields& fields, const ExpectedEffect& effect) {
  if (effect.outcome == Outcome::error) check_error(fields);
  if (effect.outcome == Outcome::crash) check_crash(fields, effect);
  if (effect.outcome == Outcome::hang) fields.need("at", "the last label before it hangs");
  if (effect.outcome == Outcome::skip) fields.need("detail", "unsupported, resource or harmful");
  if (effect.outcome != Outcome::corrupt) return;
  fields.need("want", "the value that should be there");
  fields.need("got", "the value that is there instead, or \"any\"");
}

/// The fields of one effect, in whatever table they stand.
ExpectedEffect parse_effect(const TomlFields& fields, Outcome outcome) {
  ExpectedEffect effect;
  effect.outcome = outcome;
  effect.at = fields.string("at").value_or("");
  effect.type = fields.string("type").value_or("");
  effect.code = fields.whole_number("code");
  effect.text = pattern(fields, "text");
  effect.memory_class = fields.word("class", {"overwritten", "stale", "unordered"}).value_or("");
  effect.want = fields.value_text("want").value_or("");
  effect.got = fields.value_text("got").value_or("");
  effect.signal = fields.word("signal", signals).value_or("");
  effect.exit = fields.whole_number("exit");
  effect.detail = fields.word("detail", {"unsupported", "resource", "harmful"}).value_or("");
  check_effect(fields, effect);
  return effect;
}

std::optional<Outcome> parse_outcome_word(const TomlFields& fields, const Keys& allowed) {
  auto outcome = fields.string("outcome");
  if (!outcome) return std::nullopt;
  if (*outcome == "fail" || *outcome == "missing") {
    fields.problem("outcome",
                   fmt::format("`{}` cannot be expected: it means that the case itself is broken", *outcome));
    return std::nullopt;
  }
  outcome = fields.word("outcome", allowed);
  return outcome ? parse_outcome(*outcome) : std::nullopt;
}

/// A course: its first effect stands in `fields`, all further ones in `then`. `more` are keys of the same
/// table that others read.
std::optional<ExpectedCourse> parse_course(const TomlFields& fields, const std::string& file,
                                           std::vector<Problem>& problems, const Keys& more) {
  const auto outcome = parse_outcome_word(fields, {"ok", "error", "corrupt", "crash", "hang", "skip"});
  if (!outcome) return std::nullopt;
  auto keys = joined(more, effect_keys(*outcome));
  if (may_have_then(*outcome)) keys.push_back("then");
  fields.only(keys, fmt::format("an expectation of `{}`", name(*outcome)));
  ExpectedCourse course{parse_effect(fields, *outcome), {}};
  for (const auto* table : fields.tables("then")) {
    const TomlFields further(*table, file, problems);
    further.need("outcome", "each further effect is an error or corrupt");
    const auto kind = parse_outcome_word(further, {"error", "corrupt"});
    if (!kind) continue;
    further.only(joined({"outcome"}, effect_keys(*kind)), fmt::format("a further effect `{}`", name(*kind)));
    course.then.push_back(parse_effect(further, *kind));
  }
  return course;
}

std::vector<ExpectedCourse> parse_courses(const TomlFields& fields, const std::string& file,
                                          std::vector<Problem>& problems) {
  std::vector<ExpectedCourse> courses;
  auto add = [&](std::optional<ExpectedCourse> course) {
    if (course) courses.push_back(std::move(*course));
  };
  if (!fields.has("one_of")) {
    fields.need("outcome", "what is expected: ok, error, corrupt, crash, hang or skip (or `one_of` several)");
    add(parse_course(fields, file, problems, entry_keys));
    return courses;
  }
  auto keys = entry_keys;
  std::erase(keys, "outcome");
  fields.only(keys, "an entry with `one_of` (effects stand inside its members)");
  const auto members = fields.tables("one_of");
  if (members.size() < 2)
    fields.problem("one_of", "`one_of` needs two members at least: use `outcome` for one");
  for (const auto* member : members) {
    const TomlFields inner(*member, file, problems);
    inner.need("outcome", "each member of `one_of` says what is expected");
    add(parse_course(inner, file, problems, {"outcome"}));
  }
  return courses;
}

std::optional<double> number(const TomlTree& value) {
  if (const auto* real = value.as<double>()) return *real;
  if (const auto* whole = value.as<long long>()) return static_cast<double>(*whole);
  return std::nullopt;
}

std::optional<ExpectedFact> parse_range_fact(const TomlFields& fields, const std::string& key) {
  fields.only({"min", "max"}, fmt::format("the range of fact `{}`", key));
  ExpectedFact fact;
  for (auto [end, into] : {std::pair{"min", &fact.min}, std::pair{"max", &fact.max}}) {
    if (!fields.has(end)) continue;
    if (auto text = fields.value_text(end)) try {
        *into = std::stod(*text);
      } catch (const std::exception&) {
        fields.problem(end,
                       fmt::format("`{}` of fact `{}` is \"{}\": a number was expected", end, key, *text));
      }
  }
  if (!fields.has("min") && !fields.has("max"))
    fields.problem("min", fmt::format("the range of fact `{}` needs `min` or `max`", key));
  if (fact.min && fact.max && *fact.min > *fact.max)
    fields.problem("min",
                   fmt::format("no number is between {} and {} for fact `{}`", *fact.min, *fact.max, key));
  return fact;
}

void parse_facts(const TomlFields& fields, const std::string& file, std::vector<Problem>& problems,
                 Expectation& entry) {
  const auto* facts = fields.table("facts");
  if (!facts) return;
  for (const auto& [key, value] : *facts) {
    ExpectedFact fact;
    if (value.as<TomlTree::Table>())
      fact = parse_range_fact(TomlFields(value, file, problems), key).value_or(fact);
    else if (const auto* text = value.as<std::string>())
      fact.exact = *text;
    else if (const auto* whole = value.as<long long>())
      fact.exact = *whole;
    else if (const auto* flag = value.as<bool>())
      fact.exact = *flag;
    else if (auto real = number(value))
      fact.exact = *real;
    else
      problems.push_back(
          {Severity::error, file, value.line,
           fmt::format("fact `{}` is {}: a number, a string, true or false, or {{ min = …, max = … }} "
                       "was expected",
                       key, value.kind())});
    if (fact.exact || fact.min || fact.max) entry.facts[key] = fact;
  }
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// "area.name" or "area.name/way", with the area that the file is named after.
bool check_id(const TomlFields& fields, const std::string& id, const std::string& file) {
  const size_t dot = id.find('.'), slash = std::min(id.find('/'), id.size());
  const std::string way = slash == id.size() ? "" : id.substr(slash + 1);
  if (dot >= slash || !is_word(id.substr(0, dot)) || !is_word(id.substr(dot + 1, slash - dot - 1)) ||
      (slash != id.size() && way != "wrong" && way != "right")) {
    fields.problem("case",
                   fmt::format("`case` is \"{}\": area.name, or area.name/wrong or /right was expected", id));
    return false;
  }
  const std::string home = fmt::format("/{}.toml", id.substr(0, dot));
  if (!file.ends_with(home) && file.ends_with(".toml")) {
    fields.problem("case", fmt::format("{} belongs in expected{}: move the entry there", id, home));
    return false;
  }
  return true;
}

bool parse_conditions(const TomlFields& fields, Conditions& conditions) {
  bool good = true;
  for (auto dimension : Conditions::dimensions) {
    if (!fields.has(dimension)) continue;
    auto written = fields.string(dimension);
    good = good && written;
    if (written) try {
        conditions.restrict(dimension, *written);
      } catch (const std::invalid_argument& error) {
        fields.problem(dimension, fmt::format("`{}`: {}", dimension, error.what()));
        good = false;
      }
  }
  if (!fields.has("profile")) return good;
  const auto profile = fields.string("profile");
  if (!profile) return false;
  if (!is_word(*profile)) {
    fields.problem("profile", fmt::format("`profile` is \"{}\": one word was expected", *profile));
    return false;
  }
  conditions.profile = *profile;
  conditions.written["profile"] = *profile;
  return good;
}

void check_reasons(const TomlFields& fields, const Expectation& entry) {
  const bool only_ok =
      std::all_of(entry.courses.begin(), entry.courses.end(),
                  [](const ExpectedCourse& course) { return course.first.outcome == Outcome::ok; });
  if (!only_ok || fields.has("one_of")) {
    fields.need("why", "a sentence that says why this happens");
    fields.need("link", "a document or an issue that people can read");
  } else if (entry.id.ends_with("/wrong")) {
    fields.need("why", "a misuse that goes unnoticed needs a sentence that says why");
  }
  if (!entry.link.empty() && !entry.link.starts_with("https://"))
    fields.problem("link",
                   fmt::format("`link` is \"{}\": a public https:// address was expected", entry.link));
  if (fields.has("bug") && !entry.bug) fields.problem("bug", "`bug` is true or left out");
  if (fields.has("bug") != fields.has("review_by"))
    fields.problem(fields.has("bug") ? "bug" : "review_by",
                   "`bug` and `review_by` stand together or not at all");
}

}  // namespace

std::optional<Expectation> parse_expectation(const TomlTree& table, const std::string& file,
                                             std::vector<Problem>& problems) {
  const TomlFields fields(table, file, problems);
  Expectation entry;
  entry.file = file;
  entry.line = table.line;
  fields.need("case", "an entry is for one case, \"area.name\" or \"area.name/wrong\"");
  entry.id = fields.string("case").value_or("");
  const bool known = !entry.id.empty() && check_id(fields, entry.id, file);
  const bool bounded = parse_conditions(fields, entry.conditions);
  entry.courses = parse_courses(fields, file, problems);
  parse_facts(fields, file, problems, entry);
  entry.warning = pattern(fields, "warning");
  entry.why = fields.string("why").value_or("");
  entry.link = fields.string("link").value_or("");
  entry.bug = fields.flag("bug").value_or(false);
  entry.review_by = fields.date("review_by").value_or("");
  if (entry.courses.empty()) {
    fields.only(joined(entry_keys, {"at", "code", "type", "text", "class", "want", "got", "signal", "exit",
                                    "detail", "then"}),
                "an expectation");
    entry.courses.emplace_back();
  } else {
    check_reasons(fields, entry);
  }
  return known && bounded ? std::optional(std::move(entry)) : std::nullopt;
}

std::vector<Expectation> parse_expectations(const TomlTree& document, const std::string& file,
                                            std::vector<Problem>& problems) {
  const TomlFields fields(document, file, problems);
  fields.only({"expect"}, "an area's expectations");
  std::vector<Expectation> entries;
  for (const auto* table : fields.tables("expect"))
    if (auto entry = parse_expectation(*table, file, problems)) entries.push_back(std::move(*entry));
  return entries;
}

}  // namespace cudasem
