// Every case of this executable, in the order in which they were registered.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "support/registry.h"

namespace cudasem {

struct Case {
  Kind kind;
  std::string_view area;
  std::string_view name;
  std::string_view file;
  int line;  ///< as the compiler counts: for GoogleTest; catalog_json() finds the head itself
  std::variant<Registered::Body, Registered::MisuseBody> body;
  Meta meta;

  /// "area.name"
  std::string full_name() const { return std::string(area) + "." + std::string(name); }
  bool is_misuse() const { return kind == Kind::misuse; }
};

std::vector<Case>& cases();

/// The `--list` document.
std::string catalog_json();

/// The hash that `begin` reports for `the_case`; empty if its source was not embedded.
std::string hash_of(const Case& the_case);

}  // namespace cudasem
