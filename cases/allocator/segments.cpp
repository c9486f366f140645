#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"

CASE(allocator, freed_memory_stays_reserved,
     .title = "Small tensors come out of segments of 2 MiB, which stay reserved when the tensors are freed",
     .claims = {"alloc.free-keeps-reserved", "stat.reserved", "pool.segments.packing"},
     .needs = {.caching = true}, .isolation = Isolation::shared) {
  {
    const Tensor first = gpu_bytes(kMiB), second = gpu_bytes(kMiB);
    EXPECT_EQ(reserved_bytes(), 2 * kMiB);
    const Tensor third = gpu_bytes(512);
    EXPECT_EQ(reserved_bytes(), 4 * kMiB);
  }
  EXPECT_EQ(total(device_stats().allocated_bytes).current, 0);
  EXPECT_EQ(reserved_bytes(), 4 * kMiB);
}

CASE(allocator, empty_cache_spares_what_is_in_use,
     .title = "emptyCache() gives back segments of which nothing is in use; one live byte keeps its whole "
              "segment",
     .claims = {"alloc.empty_cache.releases", "alloc.empty_cache.spares-live"}, .needs = {.caching = true},
     .isolation = Isolation::shared) {
  Tensor unused = gpu_bytes(64 * kMiB), neighbour = gpu_bytes(512);
  Tensor live = gpu_tensor(3);
  const void* address = live.const_data_ptr();
  unused.reset();
  neighbour.reset();
  empty_cache();
  EXPECT_EQ(reserved_bytes(), 2 * kMiB);
  EXPECT_EQ(live.const_data_ptr(), address);
  expect_equal(live, 3);

  live.reset();
  empty_cache();
  EXPECT_EQ(reserved_bytes(), 0);
}

MISUSE(allocator, small_tensor_in_a_large_cached_block,
       .title = "A 16 MiB tensor cut out of a cached 64 MiB block keeps all 64 MiB from being given back",
       .claims = {"alloc.empty_cache.releases", "stat.reserved"}, .needs = {.caching = true},
       .isolation = Isolation::shared) {
  { const Tensor spike = gpu_bytes(64 * kMiB); }
  if (!wrong) empty_cache();  // without this the long-lived tensor is cut out of what the spike left
  const Tensor long_lived = gpu_bytes(16 * kMiB);
  empty_cache();
  const auto stats = device_stats();
  fact("reserved_MiB", total(stats.reserved_bytes).current / kMiB);
  fact("inactive_split_MiB", total(stats.inactive_split_bytes).current / kMiB);
}
