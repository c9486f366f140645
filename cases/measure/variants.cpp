#include "measure/variants.h"

#include "support/torch_compat.h"

namespace cudasem {
namespace {

constexpr c10::MempoolId_t kPrivate = {0, 0};

/// A graph a section, all in `pool`; kPrivate: in the one that the first graph makes.
void capture_each_into(HotPath& path, c10::MempoolId_t pool) {
  at::Tensor x = path.input;
  for (std::int64_t k = 0; k < path.shape.sections; ++k) {
    path.capture(pool, [&](at::cuda::CUDAGraph&) { x = section(x); });
    if (pool == kPrivate) pool = path.graphs.front()->pool();
    path.put_out(x, pool);
  }
}

}  // namespace

void make_pools(HotPath& path, std::int64_t count) {
  for (std::int64_t made = 0; made < count; ++made) path.pools.emplace_back();
  if (!path.shape.warmed) return;
  const c10::cuda::CUDAStreamGuard on_its_stream(capture_stream());
  run_in_pools(path.input, path.shape.sections, path.pools);
}

void split(HotPath& path) {
  make_pools(path, path.shape.sections);
  at::Tensor x = path.input;
  for (at::cuda::MemPool& pool : path.pools) {
    path.capture(pool.id(), [&](at::cuda::CUDAGraph&) { x = section(x); });
    path.put_out(x, pool.id());
  }
}

void one_graph_many_pools(HotPath& path) {
  make_pools(path, path.shape.sections);
  path.capture(kPrivate, [&](at::cuda::CUDAGraph& graph) {
    at::Tensor x = path.input;
    for (at::cuda::MemPool& pool : path.pools) {
      const PoolScope scope(pool);
      path.retained = retain_pool(graph, pool.id());
      x = section(x);
      path.put_out(x, pool.id());
    }
  });
}

void shared_pool_graph_pool(HotPath& path) {
  if (path.shape.warmed) path.warm_by_capture(kPrivate);
  capture_each_into(path, path.earlier ? path.earlier->pool() : kPrivate);
}

void shared_pool_handle(HotPath& path) {
  const c10::MempoolId_t pool = at::cuda::graph_pool_handle();
  if (path.shape.warmed) path.warm_by_capture(pool);
  capture_each_into(path, pool);
}

void shared_pool_mempool(HotPath& path) {
  make_pools(path, 1);
  capture_each_into(path, path.pools.front().id());
}

void one_graph_one_pool(HotPath& path) {
  make_pools(path, 1);
  const c10::MempoolId_t pool = path.pools.front().id();
  path.capture(pool, [&](at::cuda::CUDAGraph&) {
    at::Tensor x = path.input;
    for (std::int64_t k = 0; k < path.shape.sections; ++k) {
      x = section(x);
      path.put_out(x, pool);
    }
  });
}

}  // namespace cudasem
