// Settings that libtorch reads from the environment.
#pragma once

#include <string>

namespace cudasem {

/// Starts this program anew, with the same arguments, in the environment that the case of `id` asks for
/// (`.env`). Returns if it is in that already, or if there is no such case.
void restart_in_environment_of(const std::string& id, char** argv);

/// Makes `settings` this process's PYTORCH_ALLOC_CONF; an alias that is set, which would win, is unset. The
/// allocators read it once, at the first use of any setting: so this is the first statement of a case. Throws
/// what the settings are refused with; ends the case as `fail (setup)` if they were read before.
void set_alloc_conf(const char* settings);

}  // namespace cudasem
