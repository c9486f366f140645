#include <c10/core/AllocatorConfig.h>

#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"

using c10::CachingAllocator::AcceleratorAllocatorConfig;
using c10::CachingAllocator::setAllocatorSettings;

CASE(allocator, any_block_is_cut_by_default,
     .title = "Without max_split_size_mb even a cached 512 MiB block is cut for a 4 MiB tensor",
     .claims = {"conf.max_split.default"}, .needs = {.caching = true}) {
  setAllocatorSettings("expandable_segments:False");
  { const Tensor large = gpu_bytes(512 * kMiB); }
  const Tensor small = gpu_bytes(4 * kMiB);
  EXPECT_EQ(reserved_bytes(), 512 * kMiB);
  EXPECT_EQ(total(device_stats().allocated_bytes).current, 4 * kMiB);
  EXPECT_EQ(total(device_stats().inactive_split_bytes).current, 508 * kMiB);
}

CASE(allocator, blocks_above_the_split_limit_stay_whole,
     .title = "With max_split_size_mb:32 a 16 MiB tensor is not cut out of a cached 64 MiB block: that stays "
              "whole and can be given back",
     .claims = {"conf.max_split.limits"}, .needs = {.caching = true}) {
  setAllocatorSettings("max_split_size_mb:32,expandable_segments:False");
  { const Tensor spike = gpu_bytes(64 * kMiB); }
  const Tensor long_lived = gpu_bytes(16 * kMiB);
  EXPECT_EQ(reserved_bytes(), (64 + 16) * kMiB);
  empty_cache();
  EXPECT_EQ(reserved_bytes(), 16 * kMiB);
}

CASE(allocator, whole_block_for_a_slightly_smaller_tensor,
     .title = "A 64 MiB block that may not be cut serves 50 MiB, all of it, but not 40 MiB: at most 20 MiB "
              "are wasted",
     .claims = {"conf.non_split_rounding.default"}, .needs = {.caching = true}) {
  setAllocatorSettings("max_split_size_mb:32,expandable_segments:False");
  Tensor tensor = gpu_bytes(64 * kMiB);
  const void* block = tensor.const_data_ptr();
  tensor.reset();
  {
    const Tensor much_smaller = gpu_bytes(40 * kMiB);
    EXPECT_NE(much_smaller.const_data_ptr(), block);
  }
  empty_cache();
  tensor = gpu_bytes(64 * kMiB);
  block = tensor.const_data_ptr();
  tensor.reset();
  const Tensor a_little_smaller = gpu_bytes(50 * kMiB);
  EXPECT_EQ(a_little_smaller.const_data_ptr(), block);
  EXPECT_EQ(total(device_stats().allocated_bytes).current, 64 * kMiB);
}

MISUSE(allocator, split_limit_without_rounding,
       .title = "Under a split limit a 512 MiB tensor gets no use of a cached 1 GiB block, unless "
                "max_non_split_rounding_mb allows the waste",
       .claims = {"conf.non_split_rounding.larger", "conf.max_split.limits"}, .needs = {.caching = true}) {
  // don't: a limit alone, where sizes vary by more than 20 MiB
  const char* rounding = wrong ? "" : ",max_non_split_rounding_mb:1024";
  setAllocatorSettings(std::string("max_split_size_mb:256,expandable_segments:False") + rounding);
  { const Tensor larger = gpu_bytes(1024 * kMiB); }
  const Tensor tensor = gpu_bytes(512 * kMiB);
  fact("reserved_MiB", reserved_bytes() / kMiB);
}

CASE(allocator, oversize_blocks_are_counted,
     .title = "The figures tell the split limit in force, and count the tensors and segments above it as "
              "oversize",
     .claims = {"stat.max_split_size"}, .needs = {.caching = true}) {
  setAllocatorSettings("max_split_size_mb:32,expandable_segments:False");
  const Tensor within = gpu_bytes(16 * kMiB);
  EXPECT_EQ(device_stats().max_split_size, 32 * kMiB);
  EXPECT_EQ(device_stats().oversize_segments.current, 0);
  Tensor above = gpu_bytes(64 * kMiB);
  EXPECT_EQ(device_stats().oversize_allocations.current, 1);
  above.reset();
  EXPECT_EQ(device_stats().oversize_allocations.current, 0);
  EXPECT_EQ(device_stats().oversize_segments.current, 1);
}

OBSERVE(allocator, divisions_by_interval,
        .title = "In roundup_power2_divisions:[64:8,256:4,1024:2,>:1] the first entry also covers smaller "
                 "sizes, the others not even sizes up to the next: 128 and 512 MiB are not rounded",
        .claims = {"conf.roundup.array"}, .needs = {.gpus = 0}) {
  setAllocatorSettings("roundup_power2_divisions:[64:8,256:4,1024:2,>:1]");
  for (const std::int64_t size : {32, 64, 100, 128, 200, 256, 512, 1024, 2048}) {
    fact("divisions_at_" + std::to_string(size) + "_MiB",
         static_cast<std::int64_t>(AcceleratorAllocatorConfig::roundup_power2_divisions(size << 20)));
  }
}
