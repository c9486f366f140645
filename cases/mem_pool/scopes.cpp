#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"
#include "support/threads.h"

static c10::MempoolId_t owner(const Tensor& tensor) {
  return segment_of(tensor).owner_private_pool_id;
}

static constexpr c10::MempoolId_t kNoPool = {0, 0};

CASE(mem_pool, scope_routes_allocations,
     .title = "Inside a pool's scope allocations come from the pool, after it no longer; the scope counts "
              "as one use",
     .claims = {"pool.routes-in-scope", "pool.exit-restores", "pool.use_count.idle", "pool.use_count.in-scope"},
     .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor before = gpu_tensor(1);
  at::cuda::MemPool pool;
  EXPECT_EQ(pool.use_count(), 1);
  Tensor inside;
  {
    const PoolScope scope(pool);
    EXPECT_EQ(pool.use_count(), 2);
    inside = gpu_tensor(2);
  }
  EXPECT_EQ(pool.use_count(), 1);
  const Tensor after = gpu_tensor(3);
  EXPECT_EQ(owner(before), kNoPool);
  EXPECT_EQ(owner(inside), pool.id());
  EXPECT_EQ(owner(after), kNoPool);
}

CASE(mem_pool, scope_is_for_its_thread,
     .title = "A pool's scope does not reach another thread, although that allocates on the same stream "
              "meanwhile",
     .claims = {"pool.thread-only"},
     .links = {"https://github.com/pytorch/pytorch/issues/152861"}, .needs = {.caching = true},
     .isolation = Isolation::shared) {
  const Tensor before = gpu_tensor(0);
  at::cuda::MemPool pool;
  const PoolScope scope(pool);
  Tensor here = gpu_tensor(1), there;
  on_new_thread([&] { there = gpu_tensor(2); });
  EXPECT_EQ(owner(here), pool.id());
  EXPECT_EQ(owner(there), kNoPool);
}

CASE(mem_pool, innermost_scope_wins,
     .title = "Of nested scopes the innermost pool gets the allocations, and the outer one again when that "
              "has ended",
     .claims = {"pool.nested"}, .links = {"https://github.com/pytorch/pytorch/issues/161193"},
     .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor before = gpu_tensor(0);
  at::cuda::MemPool outer, inner;
  const PoolScope outer_scope(outer);
  const Tensor first = gpu_tensor(1);
  Tensor second;
  {
    const PoolScope inner_scope(inner);
    second = gpu_tensor(2);
  }
  const Tensor third = gpu_tensor(3);
  EXPECT_EQ(owner(first), outer.id());
  EXPECT_EQ(owner(second), inner.id());
  EXPECT_EQ(owner(third), outer.id());
}

MISUSE(mem_pool, scope_inside_its_own_scope,
       .title = "A second scope of the same pool is refused and leaves the use count raised; the first one "
                "is unharmed",
       .claims = {"pool.use_count.in-scope", "pool.nested"},
       .links = {"https://github.com/NVIDIA/TensorRT-LLM/pull/18317"}, .needs = {.caching = true},
       .isolation = Isolation::right_shared) {
  const Tensor before = gpu_tensor(0);
  at::cuda::MemPool pool, other;
  {
    const PoolScope scope(pool);
    attempt("second scope", [&] { const PoolScope again(wrong ? pool : other); });  // don't: once at a time
    const Tensor inside = gpu_tensor(1);
    EXPECT_EQ(owner(inside), pool.id());
  }
  fact("use_count", std::int64_t{pool.use_count()});
}

MISUSE(mem_pool, end_without_begin,
       .title = "endAllocateToPool() of a pool that nobody began to allocate to is refused; the pool stays "
                "usable",
       .claims = {"pool.exit-restores"}, .needs = {.caching = true}, .isolation = Isolation::shared) {
  namespace caching = c10::cuda::CUDACachingAllocator;
  const Tensor before = gpu_tensor(0);
  at::cuda::MemPool pool;
  if (!wrong) caching::beginAllocateToPool(pool.device(), pool.id(), [](cudaStream_t) { return true; });
  const bool ended =
      attempt("endAllocateToPool", [&] { caching::endAllocateToPool(pool.device(), pool.id()); });
  if (ended) caching::releasePool(pool.device(), pool.id());  // beginAllocateToPool took a reference

  const PoolScope scope(pool);
  const Tensor inside = gpu_tensor(1);
  EXPECT_EQ(owner(inside), pool.id());
}
