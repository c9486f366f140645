#include <c10/core/AllocatorConfig.h>

#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"

namespace caching = c10::cuda::CUDACachingAllocator;

/// Whether a segment of `size` bytes is held, in use or not.
static bool is_reserved(std::int64_t size) {
  for (const auto& segment : caching::snapshot({0, 0}, /*include_traces=*/false).segments) {
    if (static_cast<std::int64_t>(segment.total_size) == size) return true;
  }
  return false;
}

MISUSE(allocator, garbage_collection_without_a_limit,
       .title = "Above garbage_collection_threshold the block that lay idle longest is given back, a younger "
                "one kept; without a memory fraction nothing is",
       .claims = {"conf.gc.reclaims-old-first"}, .needs = {.caching = true}) {
  c10::CachingAllocator::setAllocatorSettings("garbage_collection_threshold:0.3,expandable_segments:False");
  const Tensor first = gpu_tensor(0);
  const auto percent = [](std::int64_t n) {  // of 1000 MiB, which is the limit below
    return n * 10 * kMiB;
  };
  const auto gpu_size =
      static_cast<double>(caching::get()->getMemoryInfo(c10::cuda::current_device()).second);
  // don't: the threshold is a share of the fraction; as long as none was set it is not looked at
  if (!wrong)
    caching::setMemoryFraction(static_cast<double>(percent(100)) / gpu_size, c10::cuda::current_device());

  Tensor old = gpu_bytes(percent(10)), young = gpu_bytes(percent(8));
  old.reset();
  const Tensor between = gpu_bytes(percent(20));
  young.reset();
  require(is_reserved(percent(10)) && is_reserved(percent(8)), "below the threshold both stay");
  const Tensor fits_in_neither = gpu_bytes(percent(25));
  fact("older_block", is_reserved(percent(10)) ? "kept" : "given back");
  fact("younger_block", is_reserved(percent(8)) ? "kept" : "given back");
  caching::setMemoryFraction(1, c10::cuda::current_device());
}
