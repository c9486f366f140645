// The commands that the Python package behind this program does (as git starts its own).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "process.h"

namespace cudasem {

struct FrontDoorCommand {
  std::string_view name, help;
};
const std::vector<FrontDoorCommand>& front_door_commands();
bool is_front_door(std::string_view word);

struct Python {
  std::string program = {};
  std::string problem = {};  ///< what is missing and what to do; empty if it can be used
};

/// $CUDASEM_PYTHON, else the source tree's .venv, else python3; asked whether it finds what reports need.
Python find_python(SubprocessSet& set);

/// `args` without those that ask for re-judging (`diff A B --expected DIR`), and the folder asked for.
struct DiffRequest {
  std::vector<std::string> args = {};
  std::string expected = {};
};
DiffRequest take_expected(const std::vector<std::string>& args);

/// Runs `python3 -m cudasem_reports args…` with our terminal and returns its exit status; 2 if Python or what
/// it needs is missing. `diff` with `--expected DIR` gets logs that were judged again against DIR.
int front_door(const std::vector<std::string>& args);

}  // namespace cudasem
