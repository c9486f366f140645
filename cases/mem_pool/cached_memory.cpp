#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"

namespace caching = c10::cuda::CUDACachingAllocator;

MISUSE(mem_pool, idle_pool_when_memory_runs_out,
       .title = "When memory runs out, an idle pool's memory helps only if the pool was made with use_on_oom",
       .claims = {"pool.use_on_oom.default", "pool.use_on_oom.true"}, .needs = {.caching = true},
       .isolation = Isolation::shared) {
  Tensor tensor = gpu_tensor(0);
  const auto device = c10::cuda::current_device();
  const auto most = static_cast<std::int64_t>(caching::get()->getMemoryInfo(device).second / 100 / 4 * 3);
  caching::setMemoryFraction(0.01, device);
  // don't: by default a pool keeps its memory to itself
  at::cuda::MemPool pool(nullptr, /*is_user_created=*/true, /*use_on_oom=*/!wrong);
  {
    const PoolScope scope(pool);
    tensor = gpu_bytes(most);
  }
  const void* block = tensor.const_data_ptr();
  tensor.reset();
  if (attempt("allocation", [&] { tensor = gpu_bytes(most); })) EXPECT_EQ(tensor.const_data_ptr(), block);
  tensor.reset();
  caching::setMemoryFraction(1, device);
}

CASE(mem_pool, no_split,
     .title = "With no_split each tensor of a pool has a segment of its own; by default tensors share one",
     .claims = {"pool.no_split", "pool.snapshot.own-only"}, .needs = {.caching = true},
     .isolation = Isolation::shared) {
  const Tensor other = gpu_tensor(0);
  for (const bool no_split : {false, true}) {
    at::cuda::MemPool pool(nullptr, /*is_user_created=*/true, /*use_on_oom=*/false, no_split);
    const PoolScope scope(pool);
    const Tensor first = gpu_bytes(4 * kMiB), second = gpu_bytes(4 * kMiB);
    EXPECT_EQ(segments_in(pool.id()), no_split ? 2 : 1);
  }
}

OBSERVE(mem_pool, empty_cache_and_a_living_pool,
        .title = "Neither emptyCache() nor emptyCache(id) gives back what a pool has cached while its "
                 "object lives",
        .claims = {"alloc.empty_cache.releases", "pool.delete.frees-when-idle"}, .needs = {.caching = true},
        .isolation = Isolation::shared) {
  const Tensor other = gpu_tensor(0);
  at::cuda::MemPool pool;
  {
    const PoolScope scope(pool);
    gpu_bytes(4 * kMiB);
  }
  require(segments_in(pool.id()) == 1, "the pool has cached the freed block");
  caching::emptyCache();
  fact("segments_after_emptyCache", segments_in(pool.id()));
  caching::emptyCache(pool.id());
  fact("segments_after_emptyCache_of_the_pool", segments_in(pool.id()));
}

OBSERVE(mem_pool, empty_cache_inside_a_scope,
        .title = "emptyCache() inside a pool's scope leaves memory of no pool cached that it gives back "
                 "outside",
        .claims = {"alloc.empty_cache.releases", "pool.routes-in-scope"},
        .links = {"https://github.com/pytorch/pytorch/blob/main/test/test_cuda.py"}, .needs = {.caching = true},
        .isolation = Isolation::shared) {
  const Tensor other = gpu_tensor(0);
  at::cuda::MemPool pool;
  gpu_bytes(64 * kMiB);
  const auto cached = reserved_bytes();
  {
    const PoolScope scope(pool);
    caching::emptyCache();
    fact("MiB_given_back_inside", (cached - reserved_bytes()) / kMiB);
  }
  caching::emptyCache();
  fact("MiB_given_back_after_all", (cached - reserved_bytes()) / kMiB);
}

OBSERVE(mem_pool, recorded_block_inside_a_scope,
        .title = "A block freed after record_stream comes back inside the scope once its stream is done "
                 "(2.11: only after the scope)",
        .claims = {"str.record.after-sync-reusable"},
        .links = {"https://github.com/pytorch/pytorch/issues/175015"}, .needs = {.caching = true},
        .isolation = Isolation::shared) {
  const Tensor other = gpu_tensor(0);
  const auto side = c10::cuda::getStreamFromPool(false);
  at::cuda::MemPool pool;
  const void* block = nullptr;
  const auto reused = [&] { return gpu_tensor(2).const_data_ptr() == block ? "yes" : "no"; };
  {
    const PoolScope scope(pool);
    Tensor used = gpu_tensor(1);
    block = used.const_data_ptr();
    caching::recordStream(used.storage().data_ptr(), side);
    used.reset();
    c10::cuda::device_synchronize();
    fact("reused_inside_the_scope", reused());
  }
  gpu_tensor(3);  // looks after deferred blocks …
  c10::cuda::device_synchronize();
  gpu_tensor(3);  // … and finds them done
  const PoolScope scope(pool);
  fact("reused_in_the_next_scope", reused());
}
