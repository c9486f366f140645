// The ways to capture the hot path. Each is a few lines: read variants.cpp.
#pragma once

#include "measure/hot_path.h"

namespace cudasem {

struct Variant {
  const char* name;
  bool one_pool;                   ///< all sections allocate from one pool; otherwise each from its own
  void (*capture)(HotPath& path);  ///< throws what the capture throws
};

/// The baseline: a graph ends where a pool does.
void split(HotPath& path);

/// One graph; each section enters its pool inside the capture, and the graph retains it (2.14 on; before that
/// nothing but the MemPool and the tensors keep the memory). The graph's own pool stays empty.
void one_graph_many_pools(HotPath& path);

/// A graph a section, all in the pool that the first one made.
void shared_pool_graph_pool(HotPath& path);

/// A graph a section, all in the pool of a graph_pool_handle().
void shared_pool_handle(HotPath& path);

/// A graph a section, all in one MemPool.
void shared_pool_mempool(HotPath& path);

/// One graph in one MemPool.
void one_graph_one_pool(HotPath& path);

inline constexpr Variant kSplit{"split", false, split};
inline constexpr Variant kOneGraphManyPools{"one_graph_many_pools", false, one_graph_many_pools};
inline constexpr Variant kSharedPoolGraphPool{"shared_pool_graph_pool", true, shared_pool_graph_pool};
inline constexpr Variant kSharedPoolHandle{"shared_pool_handle", true, shared_pool_handle};
inline constexpr Variant kSharedPoolMemPool{"shared_pool_mempool", true, shared_pool_mempool};
inline constexpr Variant kOneGraphOnePool{"one_graph_one_pool", true, one_graph_one_pool};

/// No graph at all: the path runs in its pools, which path.pools holds afterwards.
inline constexpr Variant kEager{"eager", false, nullptr};

/// Gives the path `count` pools. If it wants them warmed, the path runs in them once on the stream of the
/// capture, and its tensors are dropped: the pools then hold the blocks that the capture will ask for.
void make_pools(HotPath& path, std::int64_t count);

}  // namespace cudasem
