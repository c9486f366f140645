#include "toml_tree.h"

#include <algorithm>
#include <sstream>

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace cudasem {

namespace {

TomlTree convert(const toml::node& node);

TomlTree::Table convert_table(const toml::table& table) {
  TomlTree::Table result;
  for (const auto& [key, value] : table) {
    result.emplace_back(std::string(key.str()), convert(value));
    result.back().second.line = static_cast<int>(key.source().begin.line);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.second.line < b.second.line; });
  return result;
}

TomlTree convert(const toml::node& node) {
  TomlTree result;
  result.line = static_cast<int>(node.source().begin.line);
  if (const auto* table = node.as_table()) {
    result.value = convert_table(*table);
  } else if (const auto* array = node.as_array()) {
    TomlTree::Array items;
    for (const auto& item : *array) items.push_back(convert(item));
    result.value = std::move(items);
  } else if (auto text = node.value_exact<std::string>()) {
    result.value = *text;
  } else if (auto whole = node.value_exact<int64_t>()) {
    result.value = static_cast<long long>(*whole);
  } else if (auto number = node.value_exact<double>()) {
    result.value = *number;
  } else if (auto flag = node.value_exact<bool>()) {
    result.value = *flag;
  } else if (auto date = node.value_exact<toml::date>()) {
    std::ostringstream text;
    text << *date;
    result.value = TomlTree::Date{text.str()};
  } else {
    throw TomlError("times are not used here", result.line);
  }
  return result;
}

}  // namespace

const TomlTree* TomlTree::find(std::string_view key) const {
  const auto* table = as<Table>();
  if (!table) return nullptr;
  const auto found =
      std::find_if(table->begin(), table->end(), [&](const auto& item) { return item.first == key; });
  return found == table->end() ? nullptr : &found->second;
}

std::string_view TomlTree::kind() const {
  constexpr std::string_view kinds[] = {"a table",  "a list",        "a string", "a whole number",
                                        "a number", "true or false", "a date"};
  return kinds[value.index()];
}

TomlTree parse_toml(std::string_view document) {
  try {
    return convert(toml::parse(document));
  } catch (const toml::parse_error& error) {
    throw TomlError(std::string(error.description()), static_cast<int>(error.source().begin.line));
  }
}

}  // namespace cudasem
