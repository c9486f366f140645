// From a table of expected/<area>.toml to an Expectation, strictly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expectation.h"
#include "problem.h"
#include "toml_tree.h"

namespace cudasem {

/// All entries of one file. An entry with a wrong id or wrong conditions is left out; with other mistakes it
/// is there as far as it can be read. Every mistake is added to `problems`.
std::vector<Expectation> parse_expectations(const TomlTree& document, const std::string& file,
                                            std::vector<Problem>& problems);

/// One entry, as above.
std::optional<Expectation> parse_expectation(const TomlTree& entry, const std::string& file,
                                             std::vector<Problem>& problems);

}  // namespace cudasem
