#include <c10/core/AllocatorConfig.h>

#include "case.h"
#include "support/accounting.h"
#include "support/environment.h"
#include "support/memory.h"

using c10::CachingAllocator::setAllocatorSettings;

MISUSE(allocator, growing_sizes_in_segments_of_their_own,
       .title = "Ever larger tensors leave behind a segment for each size; with expandable_segments:True one segment "
                "grows to the largest",
       .claims = {"conf.expandable.grows", "conf.expandable.default-off"}, .needs = {.caching = true}) {
  // don't: sizes that grow from one batch to the next, in segments of their own
  setAllocatorSettings(wrong ? "expandable_segments:False" : "expandable_segments:True");
  for (const std::int64_t size : {60, 100, 140, 180}) gpu_bytes(size * kMiB);
  fact("reserved_MiB", reserved_bytes() / kMiB);
}

CASE(allocator, size_of_large_segments,
     .title = "A 4 MiB tensor takes a segment of 20 MiB, with large_segment_size_mb:40 one of 40 MiB",
     .claims = {"conf.large_segment_size_mb"}, .needs = {.caching = true}) {
  setAllocatorSettings("expandable_segments:False");
  { const Tensor tensor = gpu_bytes(4 * kMiB); }
  EXPECT_EQ(reserved_bytes(), 20 * kMiB);
  empty_cache();
  setAllocatorSettings("large_segment_size_mb:40,expandable_segments:False");
  const Tensor tensor = gpu_bytes(4 * kMiB), neighbour = gpu_bytes(7 * kMiB);
  EXPECT_EQ(reserved_bytes(), 40 * kMiB);
}

MISUSE(allocator, tensor_beyond_the_reserved_addresses,
       .title = "A tensor larger than expandable_segments_reserve allows a segment to grow is out of memory on an "
                "empty GPU",
       .links = {"https://github.com/pytorch/pytorch/blob/main/c10/cuda/CUDAAllocatorConfig.h"},
       .needs = {.features = {"segment_reserve"}, .caching = true}) {
  set_alloc_conf("expandable_segments:True,expandable_segments_reserve:1G");
  const Tensor first = gpu_tensor(0);
  const std::int64_t size = (wrong ? 2048 : 512) * kMiB;  // don't: more than the reserve
  attempt("allocation", [&] { gpu_bytes(size); });
  expect_equal(first + 1, 1);
}

MISUSE(allocator, settings_made_after_the_first_use,
       .title = "PYTORCH_ALLOC_CONF is read at the first use of a setting: set after the first tensor it is ignored, "
                "without an error",
       .claims = {"conf.name"}, .needs = {.caching = true}) {
  unsetenv("PYTORCH_CUDA_ALLOC_CONF");
  Tensor tensor;
  if (wrong) tensor = gpu_tensor(1);  // don't: the allocator has its settings from here on
  setenv("PYTORCH_ALLOC_CONF", "max_split_size_mb:64", 1);
  tensor = gpu_tensor(2);
  fact("max_split_size_MiB",
       c10::CachingAllocator::getAllocatorSettings() == "max_split_size_mb:64" ? "64" : "no limit");
}
