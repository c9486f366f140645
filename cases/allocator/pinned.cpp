#include <ATen/core/CachingHostAllocator.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include "case.h"

static at::HostStats pinned_stats() {
  return at::getHostAllocator(at::kCUDA)->get_stats();
}

static Tensor pinned_bytes(std::int64_t size) {
  return at::empty({size}, at::device(at::kCPU).dtype(at::kByte).pinned_memory(true));
}

CASE(allocator, pinned_sizes_are_powers_of_two,
     .title = "3 MiB of pinned memory take a block of 4 MiB, which the next 4 MiB get when it is free",
     .claims = {"stat.host.pow2", "stat.host.keys"}, .isolation = Isolation::shared) {
  Tensor tensor = pinned_bytes(3 << 20);
  EXPECT_EQ(pinned_stats().allocated_bytes.current, 4 << 20);
  const void* block = tensor.const_data_ptr();
  tensor.reset();
  const Tensor next = pinned_bytes(4 << 20);
  EXPECT_EQ(next.const_data_ptr(), block);
  EXPECT_EQ(pinned_stats().allocated_bytes.current, 4 << 20);
}

OBSERVE(allocator, pinned_blocks_freed_unused,
        .title = "Pinned blocks that no stream used count as active for ever on 2.11; from 2.13 on until "
                 "they are freed",
        .claims = {"stat.host.active-until-streams-done"}, .isolation = Isolation::shared) {
  for (int i = 0; i < 4; ++i) {
    const Tensor never_copied = pinned_bytes(4096);
  }
  fact("active_requests", pinned_stats().active_requests.current);
  fact("active_bytes", pinned_stats().active_bytes.current);
  const Tensor once_more = pinned_bytes(4096);
  fact("active_bytes_with_one_in_use", pinned_stats().active_bytes.current);
}

MISUSE(allocator, pinned_cache_emptied_with_the_gpus,
       .title = "emptyCache() of the GPU's allocator gives back no pinned memory; the pinned allocator has one of its own",
       .claims = {"alloc.empty_cache.releases", "stat.host.keys"}, .isolation = Isolation::shared) {
  { const Tensor dropped = pinned_bytes(4 << 20); }
  if (wrong) {
    c10::cuda::CUDACachingAllocator::emptyCache();  // don't: that is the cache of the GPU's memory
  } else {
    at::getHostAllocator(at::kCUDA)->empty_cache();
  }
  fact("pinned_MiB", pinned_stats().allocated_bytes.current >> 20);
}
