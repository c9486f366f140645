#include "expectation.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "expectation_parser.h"
#include "toml_tree.h"

namespace cudasem {

using nlohmann::json;

Pattern::Pattern(std::string written) : written_(std::move(written)) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  regex_ = std::make_shared<const re2::RE2>(written_, options);
  if (!regex_->ok())
    throw std::invalid_argument(
        fmt::format("\"{}\" is no regular expression (RE2: no lookahead, no backreferences): {}; a backslash "
                    "before ( [ {{ . * + ? takes it literally",
                    written_, regex_->error()));
}

bool Pattern::found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_);
}

std::string Expectation::where() const {
  return line > 0 ? fmt::format("{}:{}", file, line) : file;
}

std::string_view name(Evidence evidence) {
  return evidence == Evidence::measured ? "measured" : "inferred";
}

namespace {

void put_effect(json& into, const ExpectedEffect& effect) {
  auto put = [&](const char* key, const std::string& value) {
    if (!value.empty()) into[key] = value;
  };
  into["outcome"] = name(effect.outcome);
  put("at", effect.at);
  put("type", effect.type);
  if (effect.code) into["code"] = *effect.code;
  if (effect.text) into["text"] = effect.text->written();
  put("class", effect.memory_class);
  put("want", effect.want);
  put("got", effect.got);
  put("signal", effect.signal);
  if (effect.exit) into["exit"] = *effect.exit;
  put("detail", effect.detail);
}

void put_course(json& into, const ExpectedCourse& course) {
  put_effect(into, course.first);
  for (const auto& effect : course.then) put_effect(into["then"].emplace_back(), effect);
}

json fact_json(const ExpectedFact& fact) {
  if (fact.exact) return *fact.exact;
  json range = json::object();
  if (fact.min) range["min"] = *fact.min;
  if (fact.max) range["max"] = *fact.max;
  return range;
}

/// JSON as the tree that the parser of expected/*.toml takes, so that there is one parser.
TomlTree tree(const json& value) {
  TomlTree result;
  if (value.is_object()) {
    TomlTree::Table table;
    for (const auto& [key, member] : value.items()) table.emplace_back(key, tree(member));
    result.value = std::move(table);
  } else if (value.is_array()) {
    TomlTree::Array items;
    for (const auto& item : value) items.push_back(tree(item));
    result.value = std::move(items);
  } else if (value.is_string()) {
    result.value = value.get<std::string>();
  } else if (value.is_number_integer()) {
    result.value = value.get<long long>();
  } else if (value.is_number()) {
    result.value = value.get<double>();
  } else if (value.is_boolean()) {
    result.value = value.get<bool>();
  } else {
    throw std::runtime_error("null is no value of an expectation");
  }
  return result;
}

TomlTree entry_tree(json entry, const std::string& id) {
  if (!entry.is_object()) throw std::runtime_error("an expectation in a log is an object");
  entry["case"] = id;
  const json conditions = entry.value("conditions", json::object());
  for (const auto& [key, value] : conditions.items()) entry[key] = value;
  for (const char* key : {"where", "conditions", "evidence"}) entry.erase(key);
  const json review_by = entry.value("review_by", json());
  entry.erase("review_by");
  TomlTree result = tree(entry);
  if (review_by.is_string()) {
    TomlTree date;
    date.value = TomlTree::Date{review_by};
    std::get<TomlTree::Table>(result.value).emplace_back("review_by", std::move(date));
  }
  return result;
}

}  // namespace

json to_json(const Expectation& entry, Evidence evidence) {
  json result = json::object();
  if (entry.courses.size() == 1)
    put_course(result, entry.courses.front());
  else
    for (const auto& course : entry.courses) put_course(result["one_of"].emplace_back(), course);
  for (const auto& [key, fact] : entry.facts) result["facts"][key] = fact_json(fact);
  if (entry.warning) result["warning"] = entry.warning->written();
  if (!entry.why.empty()) result["why"] = entry.why;
  if (!entry.link.empty()) result["link"] = entry.link;
  if (entry.bug) result["bug"] = true;
  if (!entry.review_by.empty()) result["review_by"] = entry.review_by;
  result["where"] = entry.where();
  result["conditions"] = entry.conditions.written;
  result["evidence"] = name(evidence);
  return result;
}

Expectation expectation_from_json(const json& value, std::string id) {
  const std::string where = value.is_object() ? value.value("where", "a log") : "a log";
  std::vector<Problem> problems;
  auto entry = parse_expectation(entry_tree(value, id), where, problems);
  // What a log holds was checked when it was written, by rules that may since have become stricter about
  // reasons.
  std::erase_if(problems, [](const Problem& problem) {
    return problem.message.starts_with("`why`") || problem.message.starts_with("`link`");
  });
  if (!entry || has_errors(problems))
    throw std::runtime_error(fmt::format("the expectation of {} from {}: {}", id, where,
                                         problems.empty() ? "?" : problems.front().message));
  if (const auto colon = where.rfind(':'); colon != std::string::npos) {
    entry->file = where.substr(0, colon);
    entry->line = std::atoi(where.c_str() + colon + 1);
  }
  return std::move(*entry);
}

json default_expectation(Kind kind, std::string_view way) {
  if (kind == Kind::misuse && way != "right") return nullptr;
  return {{"outcome", "ok"}, {"where", "default"}};
}

std::string text(const ExpectedEffect& effect) {
  std::string result(name(effect.outcome));
  if (effect.code) result += fmt::format(" {}", *effect.code);
  if (!effect.type.empty()) result += " " + effect.type;
  if (!effect.memory_class.empty()) result += fmt::format(" ({})", effect.memory_class);
  if (!effect.signal.empty()) result += " " + effect.signal;
  if (effect.exit) result += fmt::format(" with exit status {}", *effect.exit);
  if (!effect.detail.empty()) result += fmt::format(" ({})", effect.detail);
  if (!effect.at.empty()) result += fmt::format(" at \"{}\"", effect.at);
  if (!effect.want.empty()) result += fmt::format(", {} instead of {}", effect.got, effect.want);
  if (effect.text) result += fmt::format(" with /{}/", effect.text->written());
  return result;
}

std::string text(const ExpectedCourse& course) {
  std::string result = text(course.first);
  for (const auto& effect : course.then) result += ", then " + text(effect);
  return result;
}

std::string text(const Expectation& entry) {
  std::string result;
  for (const auto& course : entry.courses) result += (result.empty() ? "" : ", or ") + text(course);
  return result;
}

}  // namespace cudasem
