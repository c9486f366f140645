#include <c10/core/AllocatorConfig.h>

#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"

namespace caching = c10::cuda::CUDACachingAllocator;

CASE(allocator, reserved_peak_outlasts_an_emptied_cache,
     .title = "emptyCache() lowers what is reserved, not its peak; resetPeakStats() brings the peak down to it",
     .claims = {"stat.max_reserved", "stat.peak.reset"}, .needs = {.caching = true}) {
  c10::CachingAllocator::setAllocatorSettings("expandable_segments:False");
  const Tensor kept = gpu_bytes(32 * kMiB);
  { const Tensor brief = gpu_bytes(64 * kMiB); }
  empty_cache();
  EXPECT_EQ(total(device_stats().reserved_bytes).current, 32 * kMiB);
  EXPECT_EQ(total(device_stats().reserved_bytes).peak, 96 * kMiB);
  caching::resetPeakStats(c10::cuda::current_device());
  EXPECT_EQ(total(device_stats().reserved_bytes).peak, 32 * kMiB);
}

CASE(allocator, no_figure_is_negative,
     .title = "No figure is negative, also after a reset of both kinds in the middle of the work",
     .claims = {"stat.nonnegative"}, .needs = {.caching = true}, .isolation = Isolation::shared) {
  const auto device = c10::cuda::current_device();
  std::vector<Tensor> tensors = {gpu_bytes(700), gpu_bytes(3 * kMiB), gpu_bytes(40 * kMiB)};
  caching::resetAccumulatedStats(device);
  caching::resetPeakStats(device);
  tensors.clear();
  empty_cache();
  const auto stats = device_stats();
  for (const auto& figure :
       {stats.allocation, stats.segment, stats.active, stats.inactive_split, stats.allocated_bytes,
        stats.reserved_bytes, stats.active_bytes, stats.inactive_split_bytes, stats.requested_bytes}) {
    for (const auto& one : figure) {  // all, large blocks, small blocks
      EXPECT_GE(one.current, 0);
      EXPECT_GE(one.peak, 0);
      EXPECT_GE(one.allocated, 0);
      EXPECT_GE(one.freed, 0);
    }
  }
  EXPECT_EQ(total(stats.allocation).freed, 3);
}

CASE(allocator, calls_to_cuda_are_counted,
     .title = "num_device_alloc counts the segments that were asked of CUDA, not the tensors in them; "
              "num_device_free those given back",
     .claims = {"stat.num_device_alloc_free"}, .needs = {.caching = true}) {
  Tensor first = gpu_bytes(512);
  const auto allocations = device_stats().num_device_alloc;
  EXPECT_GE(allocations, 1);
  Tensor same_segment = gpu_bytes(512);
  EXPECT_EQ(device_stats().num_device_alloc, allocations);
  first.reset();
  same_segment.reset();
  EXPECT_EQ(device_stats().num_device_free, 0);
  empty_cache();
  EXPECT_GE(device_stats().num_device_free, 1);
}

CASE(allocator, each_emptied_cache_is_one_wait,
     .title = "num_sync_all_streams grows by one with every emptyCache(), and not with tensors that come and go",
     .claims = {"stat.num_sync_all_streams"}, .needs = {.caching = true}) {
  for (int i = 0; i < 10; ++i) gpu_bytes(i * kMiB + 1);
  EXPECT_EQ(device_stats().num_sync_all_streams, 0);
  empty_cache();
  empty_cache();
  EXPECT_EQ(device_stats().num_sync_all_streams, 2);
}
