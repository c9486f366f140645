// Typed, strict reading of a table that a person wrote: every mistake becomes a problem with file and line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem.h"
#include "toml_tree.h"

namespace cudasem {

/// A reader for one table. Each getter gives nothing if the key is absent, and also if its value is of
/// another type, which it reports. Ask `only` for the keys that may be there, `need` for those that must.
class TomlFields {
 public:
  TomlFields(const TomlTree& table, std::string file, std::vector<Problem>& problems)
      : table_(table), file_(std::move(file)), problems_(problems) {}

  bool has(std::string_view key) const { return table_.find(key) != nullptr; }
  /// The line of a key, or of the table if it has none.
  int line(std::string_view key) const;

  std::optional<std::string> string(std::string_view key) const;
  std::optional<int> whole_number(std::string_view key) const;
  std::optional<bool> flag(std::string_view key) const;
  std::optional<std::string> date(std::string_view key) const;
  /// A number, or a string, as text ("%.9g").
  std::optional<std::string> value_text(std::string_view key) const;
  /// One of `words`; another one is reported with all of them.
  std::optional<std::string> word(std::string_view key, const std::vector<std::string_view>& words) const;
  /// A list of strings; nothing is in it if the key is absent.
  std::vector<std::string> strings(std::string_view key) const;
  /// A list of tables; nothing is in it if the key is absent.
  std::vector<const TomlTree*> tables(std::string_view key) const;
  const TomlTree::Table* table(std::string_view key) const;

  /// Reports every other key.
  void only(const std::vector<std::string_view>& keys, std::string_view of_what) const;
  /// Reports the key if it is absent, or an empty string; says what it is for.
  void need(std::string_view key, std::string_view because) const;

  void problem(std::string_view key, std::string message) const;

 private:
  const TomlTree* typed(std::string_view key, std::string_view expected, bool (*fits)(const TomlTree&)) const;

  const TomlTree& table_;
  std::string file_;
  std::vector<Problem>& problems_;
};

}  // namespace cudasem
