#include "case.h"
#include "support/accounting.h"

CASE(allocator, sizes_are_multiples_of_512,
     .title = "1 byte takes 512 bytes and 513 bytes take 1024; requested_bytes keeps the numbers asked for",
     .claims = {"stat.allocated", "stat.requested_vs_allocated"}, .needs = {.caching = true},
     .isolation = Isolation::shared) {
  const Tensor one = gpu_bytes(1);
  EXPECT_EQ(total(device_stats().allocated_bytes).current, 512);
  const Tensor more = gpu_bytes(513);
  EXPECT_EQ(total(device_stats().allocated_bytes).current, 512 + 1024);
  EXPECT_EQ(total(device_stats().requested_bytes).current, 1 + 513);
}

CASE(allocator, peaks_fall_only_when_reset,
     .title = "The peak of allocated_bytes stays when a tensor is freed; resetPeakStats() sets it to what "
              "is in use",
     .claims = {"stat.max_allocated", "stat.peak.reset"}, .needs = {.caching = true},
     .isolation = Isolation::shared) {
  const Tensor kept = gpu_bytes(4 * kMiB);
  { const Tensor brief = gpu_bytes(8 * kMiB); }
  EXPECT_EQ(total(device_stats().allocated_bytes).current, 4 * kMiB);
  EXPECT_EQ(total(device_stats().allocated_bytes).peak, 12 * kMiB);
  c10::cuda::CUDACachingAllocator::resetPeakStats(c10::cuda::current_device());
  EXPECT_EQ(total(device_stats().allocated_bytes).peak, 4 * kMiB);
}

CASE(allocator, history_minus_freed_is_current,
     .title = "allocated minus freed is current in every figure; resetAccumulatedStats() forgets both, "
              "not current",
     .claims = {"stat.accumulated", "stat.accumulated.reset"}, .needs = {.caching = true}) {
  std::vector<Tensor> tensors;
  for (int i = 1; i <= 8; ++i) tensors.push_back(gpu_bytes(i * 700 * 1024));
  tensors.erase(tensors.begin() + 2, tensors.begin() + 5);
  const auto stats = device_stats();
  for (const auto& figure :
       {total(stats.allocation), total(stats.allocated_bytes), total(stats.requested_bytes),
        total(stats.reserved_bytes), total(stats.segment), total(stats.active_bytes)}) {
    EXPECT_EQ(figure.allocated - figure.freed, figure.current);
    EXPECT_GT(figure.current, 0);
  }
  c10::cuda::CUDACachingAllocator::resetAccumulatedStats(c10::cuda::current_device());
  const auto requested = total(device_stats().requested_bytes);
  EXPECT_EQ(requested.allocated + requested.freed, 0);
  EXPECT_EQ(requested.current, (1 + 2 + 6 + 7 + 8) * 700 * 1024);
}

OBSERVE(allocator, exactly_one_mebibyte,
        .title = "A tensor of exactly 1 MiB counts as small, although documented as large; 512 bytes more "
                 "is large",
        .claims = {"stat.pool-split"}, .needs = {.caching = true}, .isolation = Isolation::shared) {
  const auto pool_for = [](std::int64_t size) {
    const Tensor tensor = gpu_bytes(size);
    return segment_of(tensor).is_large ? "large" : "small";
  };
  fact("1_MiB_less_512", pool_for(kMiB - 512));
  fact("1_MiB", pool_for(kMiB));
  fact("1_MiB_and_512", pool_for(kMiB + 512));
}

OBSERVE(allocator, rounding_of_1200_bytes,
        .title = "With 4 divisions 1200 KiB become 1280 KiB, but the documented 1200 bytes become 1536, "
                 "not 1280",
        .claims = {"conf.roundup.doc-example", "conf.roundup.single"}, .needs = {.caching = true}) {
  c10::CachingAllocator::setAllocatorSettings("roundup_power2_divisions:4");
  const Tensor large = gpu_bytes(1200 * 1024);
  EXPECT_EQ(total(device_stats().allocated_bytes).current, 1280 * 1024);
  const Tensor small = gpu_bytes(1200);
  fact("bytes_for_1200", total(device_stats().allocated_bytes).current - 1280 * 1024);
  c10::CachingAllocator::setAllocatorSettings("roundup_power2_divisions:1");
}
