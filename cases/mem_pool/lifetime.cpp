#include <optional>

#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"

namespace caching = c10::cuda::CUDACachingAllocator;

MISUSE(mem_pool, made_before_cuda_starts,
       .title = "A MemPool made before anything was allocated is refused as an invalid device; afterwards "
                "it works",
       .claims = {"pool.id", "pool.default-allocator"}, .needs = {.caching = true},
       .isolation = Isolation::right_shared) {
  if (!wrong) at::globalContext().lazyInitDevice(at::kCUDA);  // creating a pool does not start CUDA
  attempt("MemPool", [] { const at::cuda::MemPool pool; });

  const Tensor first = gpu_tensor(1);
  at::cuda::MemPool pool;
  const PoolScope scope(pool);
  const Tensor pooled = gpu_tensor(2);
  expect_equal(pooled, 2);
}

CASE(mem_pool, destroyed_while_a_tensor_lives,
     .title = "A tensor outlives its pool unharmed; its memory goes back to CUDA when both are gone and "
              "emptyCache() runs",
     .claims = {"pool.delete.live-tensor"}, .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor other = gpu_tensor(0);
  const auto before = reserved_bytes();
  std::optional<at::cuda::MemPool> pool(std::in_place);
  Tensor survivor;
  {
    const PoolScope scope(*pool);
    survivor = gpu_tensor(2);
  }
  pool.reset();
  Tensor neighbour = gpu_tensor(3);
  EXPECT_NE(segment_of(neighbour).address, segment_of(survivor).address);
  expect_intact(survivor, 2);
  EXPECT_EQ(reserved_bytes(), before + 2 * kMiB);

  survivor.reset();
  empty_cache();
  EXPECT_EQ(reserved_bytes(), before);
}

CASE(mem_pool, destroyed_when_idle,
     .title = "An idle pool's memory goes back to CUDA when the pool is destroyed, without emptyCache()",
     .claims = {"pool.delete.frees-when-idle", "pool.segments.packing", "pool.snapshot.own-only"},
     .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor other = gpu_tensor(0);
  const auto before = reserved_bytes();
  {
    at::cuda::MemPool pool;
    const PoolScope scope(pool);
    const Tensor first = gpu_bytes(kMiB), second = gpu_bytes(kMiB);
    EXPECT_EQ(segments_in(pool.id()), 1);
    const Tensor third = gpu_bytes(kMiB);
    EXPECT_EQ(segments_in(pool.id()), 2);
    EXPECT_EQ(reserved_bytes(), before + 4 * kMiB);
  }
  EXPECT_EQ(reserved_bytes(), before);
}

MISUSE(mem_pool, scope_without_release,
       .title = "beginAllocateToPool() without releasePool() keeps the pool's memory for good, without an "
                "error",
       .claims = {"pool.use_count.in-scope", "pool.delete.frees-when-idle"},
       .links = {"https://github.com/pytorch/pytorch/pull/133600"}, .needs = {.caching = true},
       .isolation = Isolation::right_shared) {
  const Tensor other = gpu_tensor(0);
  const auto before = reserved_bytes();
  {
    at::cuda::MemPool pool;
    caching::beginAllocateToPool(pool.device(), pool.id(), [](cudaStream_t) { return true; });
    Tensor inside = gpu_tensor(1);
    caching::endAllocateToPool(pool.device(), pool.id());
    if (!wrong) caching::releasePool(pool.device(), pool.id());  // end keeps the reference that begin took
    fact("use_count", std::int64_t{pool.use_count()});
  }
  empty_cache();
  fact("reserved_MiB_left", (reserved_bytes() - before) / kMiB);
}

MISUSE(mem_pool, released_id_used_again,
       .title = "A pool id that was released while a tensor of it lives cannot be used again: an internal "
                "assert",
       .claims = {"gmem.handle.opaque", "pool.delete.live-tensor"}, .needs = {.caching = true},
       .isolation = Isolation::shared) {
  const Tensor other = gpu_tensor(0);
  const auto device = c10::cuda::current_device();
  const auto id = at::cuda::MemPool::graph_pool_handle();
  if (!wrong) caching::createOrIncrefPool(device, id);  // an id that is to be used twice needs a holder
  const auto allocate = [&](double value) {
    caching::beginAllocateToPool(device, id, [](cudaStream_t) { return true; });
    Tensor tensor = gpu_tensor(value);
    caching::endAllocateToPool(device, id);
    caching::releasePool(device, id);
    return tensor;
  };
  Tensor first = allocate(1), second;
  const bool again = attempt("second use", [&] { second = allocate(2); });
  expect_intact(first, 1);
  if (again) EXPECT_EQ(segment_of(second).owner_private_pool_id, id);
  if (!wrong) caching::releasePool(device, id);
}
