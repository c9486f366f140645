// A program that starts anew, for cases about what a process reads once when CUDA starts, or cannot inherit.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace cudasem {

/// What this executable's `--probe` says when it is started as a program of its own, with the environment as
/// it is now: it uses every GPU that it sees. Ends the case (setup) if there is no answer.
nlohmann::json probe_of_a_new_program();

}  // namespace cudasem
