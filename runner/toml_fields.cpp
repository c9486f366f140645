#include "toml_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace cudasem {

int TomlFields::line(std::string_view key) const {
  const auto* value = table_.find(key);
  return value ? value->line : table_.line;
}

void TomlFields::problem(std::string_view key, std::string message) const {
  problems_.push_back({Severity::error, file_, line(key), std::move(message)});
}

const TomlTree* TomlFields::typed(std::string_view key, std::string_view expected,
                                  bool (*fits)(const TomlTree&)) const {
  const auto* value = table_.find(key);
  if (value && !fits(*value)) {
    problem(key, fmt::format("`{}` is {}: {} was expected", key, value->kind(), expected));
    return nullptr;
  }
  return value;
}

std::optional<std::string> TomlFields::string(std::string_view key) const {
  const auto* value =
      typed(key, "a string", [](const TomlTree& it) { return it.as<std::string>() != nullptr; });
  return value ? std::optional(*value->as<std::string>()) : std::nullopt;
}

std::optional<int> TomlFields::whole_number(std::string_view key) const {
  const auto* value =
      typed(key, "a whole number", [](const TomlTree& it) { return it.as<long long>() != nullptr; });
  if (!value) return std::nullopt;
  const long long number = *value->as<long long>();
  if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max()) {
    problem(key, fmt::format("`{}` is {}: a number of at most 32 bits was expected", key, number));
    return std::nullopt;
  }
  return static_cast<int>(number);
}

std::optional<bool> TomlFields::flag(std::string_view key) const {
  const auto* value =
      typed(key, "true or false", [](const TomlTree& it) { return it.as<bool>() != nullptr; });
  return value ? std::optional(*value->as<bool>()) : std::nullopt;
}

std::optional<std::string> TomlFields::date(std::string_view key) const {
  const auto* value = typed(key, "a date without quotes (2027-06-01)",
                            [](const TomlTree& it) { return it.as<TomlTree::Date>() != nullptr; });
  return value ? std::optional(value->as<TomlTree::Date>()->text) : std::nullopt;
}

std::optional<std::string> TomlFields::value_text(std::string_view key) const {
  const auto* value = typed(key, "a number or a string", [](const TomlTree& it) {
    return it.as<std::string>() || it.as<long long>() || it.as<double>();
  });
  if (!value) return std::nullopt;
  if (const auto* text = value->as<std::string>()) return *text;
  const double number =
      value->as<double>() ? *value->as<double>() : static_cast<double>(*value->as<long long>());
  return fmt::format("{:.9g}", number);
}

std::optional<std::string> TomlFields::word(std::string_view key,
                                            const std::vector<std::string_view>& words) const {
  auto text = string(key);
  if (!text || std::find(words.begin(), words.end(), *text) != words.end()) return text;
  problem(key, fmt::format("`{}` is \"{}\": one of {} was expected", key, *text, fmt::join(words, ", ")));
  return std::nullopt;
}

std::vector<std::string> TomlFields::strings(std::string_view key) const {
  std::vector<std::string> result;
  const auto* value =
      typed(key, "a list of strings", [](const TomlTree& it) { return it.as<TomlTree::Array>() != nullptr; });
  if (!value) return result;
  for (const auto& item : *value->as<TomlTree::Array>()) {
    if (const auto* text = item.as<std::string>())
      result.push_back(*text);
    else
      problem(key, fmt::format("`{}` contains {}: only strings were expected", key, item.kind()));
  }
  return result;
}

std::vector<const TomlTree*> TomlFields::tables(std::string_view key) const {
  std::vector<const TomlTree*> result;
  const auto* value =
      typed(key, "a list of tables", [](const TomlTree& it) { return it.as<TomlTree::Array>() != nullptr; });
  if (!value) return result;
  for (const auto& item : *value->as<TomlTree::Array>()) {
    if (item.as<TomlTree::Table>())
      result.push_back(&item);
    else
      problem(key, fmt::format("`{}` contains {}: only tables were expected", key, item.kind()));
  }
  return result;
}

const TomlTree::Table* TomlFields::table(std::string_view key) const {
  const auto* value =
      typed(key, "a table", [](const TomlTree& it) { return it.as<TomlTree::Table>() != nullptr; });
  return value ? value->as<TomlTree::Table>() : nullptr;
}

void TomlFields::only(const std::vector<std::string_view>& keys, std::string_view of_what) const {
  const auto* table = table_.as<TomlTree::Table>();
  if (!table) return;
  for (const auto& [key, value] : *table)
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      problem(key, fmt::format("`{}` does not belong to {}: it may have {}", key, of_what,
                               keys.empty() ? "nothing" : fmt::format("{}", fmt::join(keys, ", "))));
}

void TomlFields::need(std::string_view key, std::string_view because) const {
  const auto* value = table_.find(key);
  const auto* text = value ? value->as<std::string>() : nullptr;
  if (!value || (text && text->find_first_not_of(" \t\n") == std::string::npos))
    problem(key, fmt::format("`{}` is missing: {}", key, because));
}

}  // namespace cudasem
