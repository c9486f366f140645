// One source for all supported releases: API that only some of them have, found by `requires` instead of by
// version. Differences in *behaviour* never go here: they are what the suite is about, and stand in
// expected/.
#pragma once

#include <ATen/cuda/CUDAGraph.h>

#include <vector>

namespace cudasem {

template <typename Graph>
concept RetainsPools = requires(Graph& graph, c10::MempoolId_t id) {
  graph.retain_pool(id);
  graph.pools();
};

/// Makes `graph`, which is capturing, keep the pool `id` alive (2.14 on). Returns false where graphs cannot.
template <typename Graph>
bool retain_pool(Graph& graph, c10::MempoolId_t id) {
  if constexpr (RetainsPools<Graph>) graph.retain_pool(id);
  return RetainsPools<Graph>;
}

/// The pools that `graph` keeps alive: all that it retains (2.14 on), before that its own.
template <typename Graph>
std::vector<c10::MempoolId_t> pools(Graph& graph) {
  if constexpr (RetainsPools<Graph>) {
    return graph.pools();
  } else {
    return {graph.pool()};
  }
}

}  // namespace cudasem
