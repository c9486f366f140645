// Whether operations make the host wait, and whether a capture bears them: the cells of a table, as facts.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

namespace cudasem {

struct Operation {
  std::string_view name;
  std::function<void()> run;
};

/// Runs each operation on the stream of captures: once to warm it up, once with the sync debug mode at error,
/// once in a capture of its own. One fact each: "does not wait, captured", or what else was seen; the fact
/// `cells` counts them. The debug mode knows only waits that go through PyTorch.
void record_operations(const std::vector<Operation>& operations);

}  // namespace cudasem
