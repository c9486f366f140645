// The environments that a run can be made in (`--profile`): what changes what libtorch does everywhere.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace cudasem {

struct Profile {
  std::string name;
  std::map<std::string, std::string> env;  ///< what makes it; empty for `native`
};
const std::vector<Profile>& profiles();

/// Sets the variables of a profile of ours in this process, whose children inherit them; another name is a
/// label of an environment that the user has made, and `native` sets nothing. Returns what was set.
std::map<std::string, std::string> enter_profile(const std::string& name);

/// What in this environment is of a profile other than `native`, as a sentence for the user of `native`;
/// empty if there is nothing.
std::string not_native();

/// What turns the caching allocator off in this environment: a variable; empty if it is on.
std::string caching_turned_off_by();

}  // namespace cudasem
