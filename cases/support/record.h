// Writes the record protocol (runner/INTERPRETING.md section 4): what this process says to the runner.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace cudasem {

/// Sends records to descriptor `fd`. Before the first call records go to stderr in words, for a case run by
/// hand.
void record_to(int fd);

/// Writes one record as one line with one write. A record over 1 MiB is replaced by a note of its size. A
/// runner that went away ends the process: nobody is left to tell.
void record(const nlohmann::json& what);

}  // namespace cudasem
