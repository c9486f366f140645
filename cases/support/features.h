// Names for `needs.features`: what some supported release lacks. A case that needs one is skipped there as
// unsupported.
#pragma once

#include <string_view>

namespace cudasem {

/// Whether this build has the feature: an unknown name is one that no build has, which the list then shows.
bool has_feature(std::string_view name);

}  // namespace cudasem
