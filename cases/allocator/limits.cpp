#include <c10/core/AllocatorConfig.h>

#include "case.h"
#include "support/accounting.h"
#include "support/capture.h"

namespace caching = c10::cuda::CUDACachingAllocator;

/// Lets this process use 1 % of the current GPU from here on, and returns how many bytes that is.
static std::int64_t limit_memory() {
  const Tensor first = gpu_tensor(0);  // there is nothing to limit before the first allocation
  caching::setMemoryFraction(0.01, c10::cuda::current_device());
  empty_cache();
  return static_cast<std::int64_t>(caching::get()->getMemoryInfo(c10::cuda::current_device()).second / 100);
}

MISUSE(allocator, beyond_the_memory_fraction,
       .title = "An allocation beyond the memory fraction is an OutOfMemoryError; smaller ones go on working",
       .claims = {"alloc.fraction.oom", "alloc.fraction.within", "stat.num_ooms"}, .needs = {.caching = true},
       .isolation = Isolation::shared) {
  const std::int64_t limit = limit_memory();
  attempt("allocation", [&] { gpu_bytes(wrong ? limit * 2 : limit / 2); });  // don't: more than the limit
  EXPECT_EQ(device_stats().num_ooms, wrong ? 1 : 0);
  check_recovery();
  caching::setMemoryFraction(1, c10::cuda::current_device());
}

CASE(allocator, cache_is_given_up_before_out_of_memory,
     .title = "A request that fits only without the cached blocks succeeds: they are given back, and it "
              "is retried",
     .claims = {"stat.num_alloc_retries", "stat.num_ooms", "alloc.empty_cache.no-gain"},
     .needs = {.caching = true}) {
  c10::CachingAllocator::setAllocatorSettings("expandable_segments:False");  // such a segment would grow
  const std::int64_t limit = limit_memory();
  { const Tensor cached = gpu_bytes(limit / 10 * 6); }
  require(reserved_bytes() > limit / 2, "the freed block is still reserved");
  const Tensor larger = gpu_bytes(limit / 10 * 8);
  EXPECT_EQ(device_stats().num_alloc_retries, 1);
  EXPECT_EQ(device_stats().num_ooms, 0);
  caching::setMemoryFraction(1, c10::cuda::current_device());
}

MISUSE(allocator, fraction_above_one,
       .title = "A memory fraction outside 0 to 1 is refused, and the limit that was set before stays",
       .claims = {"alloc.fraction.range", "alloc.fraction.getter"}, .needs = {.caching = true},
       .isolation = Isolation::shared) {
  const Tensor first = gpu_tensor(0);
  const auto device = c10::cuda::current_device();
  caching::setMemoryFraction(0.25, device);
  const double fraction = wrong ? 1.5 : 0.5;  // don't: at most 1
  attempt("setMemoryFraction", [&] { caching::setMemoryFraction(fraction, device); });
  EXPECT_DOUBLE_EQ(caching::getMemoryFraction(device), wrong ? 0.25 : 0.5);
  caching::setMemoryFraction(1, device);
}
