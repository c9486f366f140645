// One source for all supported releases: API that only some of them have, found by `requires` instead of by
// version. Differences in *behaviour* never go here: they are what the suite is about, and stand in
// expected/.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/cuda/CUDAAllocatorConfig.h>

#include <string>
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

template <typename Graph>
concept CapturesIfNodes = requires(Graph& graph, const at::Tensor& predicate) {
  graph.begin_capture_to_if_node(predicate);
  graph.end_capture_to_conditional_node();
};

template <typename Graph>
concept CapturesWhileNodes = requires(Graph& graph, const at::Tensor& predicate) {
  graph.begin_capture_to_while_node(predicate);
  graph.set_conditional_handle_for_current_node(predicate);
};

/// Captures `body` into a node of `graph`, which is capturing, that runs it if `predicate` (a bool on the
/// GPU) is true at the replay (2.13 on; nothing where there are no such nodes).
template <typename Graph, typename Body>
void capture_if(Graph& graph, const at::Tensor& predicate, Body&& body) {
  if constexpr (CapturesIfNodes<Graph>) {
    graph.begin_capture_to_if_node(predicate);
    body();
    graph.end_capture_to_conditional_node();
  }
}

/// The same with a node that runs `body` again and again while `predicate`, which `body` updates, is true
/// (2.14 on; nothing where there are no such nodes).
template <typename Graph, typename Body>
void capture_while(Graph& graph, const at::Tensor& predicate, Body&& body) {
  if constexpr (CapturesWhileNodes<Graph>) {
    graph.begin_capture_to_while_node(predicate);
    body();
    graph.set_conditional_handle_for_current_node(predicate);
    graph.end_capture_to_conditional_node();
  }
}

template <typename Graph>
concept DumpsItself = requires(Graph& graph, const std::string& path) {
  graph.debug_dump(path);
};

/// Writes `graph` to a file, as its debug mode allows (up to 2.13; nothing from 2.14 on).
template <typename Graph>
void debug_dump(Graph& graph, const std::string& path) {
  if constexpr (DumpsItself<Graph>) graph.debug_dump(path);
}

template <typename Graph>
concept SplitsCaptureEnd = requires(Graph& graph) {
  graph.capture_end_pre();
  graph.capture_end_post();
};

/// The two halves of capture_end() (2.14 on; nothing before).
template <typename Graph>
void capture_end_pre(Graph& graph) {
  if constexpr (SplitsCaptureEnd<Graph>) graph.capture_end_pre();
}
template <typename Graph>
void capture_end_post(Graph& graph) {
  if constexpr (SplitsCaptureEnd<Graph>) graph.capture_end_post();
}

template <typename Context>
concept RedirectsStaleStreams = requires(Context& context) {
  context.setOverrideStaleCaptureStream(true);
};

/// Whether autograd, in a capture, puts a node that remembers the default stream on the capture's stream
/// instead of refusing it; for the whole process (2.13 on; nothing before).
template <typename Context>
void redirect_stale_streams(Context& context, bool redirect) {
  if constexpr (RedirectsStaleStreams<Context>) context.setOverrideStaleCaptureStream(redirect);
}

template <typename Graph>
concept RegistersGenerators = requires(Graph& graph, const at::Generator& generator) {
  graph.register_generator_state(generator);
};

/// Tells `graph`, before its capture, that `generator` will be used in it. Does nothing from 2.14 on, where a
/// graph finds out by itself.
template <typename Graph>
void register_generator(Graph& graph, const at::Generator& generator) {
  if constexpr (RegistersGenerators<Graph>) graph.register_generator_state(generator);
}

template <typename Stats>
concept CountsOomRejections = requires(Stats& stats) {
  stats.num_oom_rejections;
};

/// How many allocations were rejected without asking CUDA (2.13 on; -1 where that cannot be).
template <typename Stats>
std::int64_t oom_rejections(const Stats& stats) {
  if constexpr (CountsOomRejections<Stats>) {
    return stats.num_oom_rejections;
  } else {
    return -1;
  }
}

template <typename Stats>
concept CountsPrivatePools = requires(Stats& stats) {
  stats.reserved_bytes_by_private_pools;
};

/// Bytes that the private pool `id` holds from CUDA (2.13 on; -1 where that is not counted).
template <typename Stats>
std::int64_t private_pool_bytes(const Stats& stats, c10::MempoolId_t id) {
  if constexpr (CountsPrivatePools<Stats>) {
    const auto found = stats.reserved_bytes_by_private_pools.find(id);
    if (found == stats.reserved_bytes_by_private_pools.end()) return 0;
    return found->second[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)].current;
  } else {
    return -1;
  }
}

/// The pinned allocator can be told up to which size it rounds and keeps blocks (2.13 on).
template <typename Config>
concept LimitsPinnedBlocks = requires {
  Config::pinned_max_round_threshold();
};

/// How far expandable segments may grow can be set (2.15 on).
template <typename Config>
concept ReservesSegmentAddresses = requires {
  &Config::clamp_reserve_bytes;
};

}  // namespace cudasem
