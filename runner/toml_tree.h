// A TOML document as a tree in which everything knows its line. The only place that knows toml++.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cudasem {

struct TomlTree {
  using Table = std::vector<std::pair<std::string, TomlTree>>;  ///< in the order of the file
  using Array = std::vector<TomlTree>;
  struct Date {
    std::string text = {};  ///< "2027-06-01"
  };

  std::variant<Table, Array, std::string, long long, double, bool, Date> value = Table{};
  int line = 0;

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
  /// Of a table; null if this is none or has no such key.
  const TomlTree* find(std::string_view key) const;
  /// "a string", "a table", for messages.
  std::string_view kind() const;
};

struct TomlError : std::runtime_error {
  TomlError(const std::string& message, int line) : std::runtime_error(message), line(line) {}
  int line;
};

/// Throws TomlError with the line for a document that is not TOML.
TomlTree parse_toml(std::string_view document);

}  // namespace cudasem
