// The command `completion`: scripts with which bash and zsh complete our command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cudasem {

/// For `shell` "bash" or "zsh": subcommands and options of `app`, words of options that know theirs, and ids
/// of cases as `cudasem list --ids` gives them.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace cudasem
