#include "case.h"
#include "support/accounting.h"
#include "support/environment.h"
#include "support/memory.h"
#include "support/torch_compat.h"

namespace caching = c10::cuda::CUDACachingAllocator;

static std::int64_t percent_of_the_gpu(int percent) {
  return static_cast<std::int64_t>(caching::get()->getMemoryInfo(c10::cuda::current_device()).second) / 100 *
         percent;
}

MISUSE(allocator, fraction_from_the_environment,
       .title = "per_process_memory_fraction:0.01 in PYTORCH_ALLOC_CONF makes 2 % of the GPU out of memory",
       .claims = {"conf.fraction", "alloc.fraction.getter"}, .needs = {.caching = true}) {
  set_alloc_conf("per_process_memory_fraction:0.01");
  const Tensor first = gpu_tensor(0);
  EXPECT_NEAR(caching::getMemoryFraction(c10::cuda::current_device()), 0.01, 1e-9);  // whole bytes
  if (!wrong) caching::setMemoryFraction(0.04, c10::cuda::current_device());         // lifts it at run time
  attempt("allocation", [] { gpu_bytes(percent_of_the_gpu(2)); });  // don't: more than the limit
  expect_equal(first + 1, 1);
}

MISUSE(allocator, impossible_sizes,
       .title = "A tensor larger than the GPU, or than an exabyte, is an OutOfMemoryError; a smaller one works "
                "afterwards",
       .claims = {"stat.num_ooms"}, .links = {"https://github.com/pytorch/pytorch/blob/main/test/test_cuda.py"},
       .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor first = gpu_tensor(0);
  const std::int64_t gigabyte = 1 << 30, size = wrong ? gigabyte << 20 : gigabyte / 2;  // don't: a petabyte
  attempt("a petabyte", [&] { gpu_bytes(size); });
  attempt("four exabytes", [&] { gpu_bytes(wrong ? gigabyte << 32 : size); });
  EXPECT_EQ(device_stats().num_ooms, wrong ? 1 : 0);  // the second is refused before it is tried
  expect_equal(first + 1, 1);
}

MISUSE(allocator, observers_of_out_of_memory,
       .title = "An observer is called when memory runs out, before the error is thrown; it cannot prevent it",
       .claims = {"alloc.fraction.oom"}, .needs = {.caching = true}) {
  const Tensor first = gpu_tensor(0);
  std::int64_t calls = 0, size = 0;
  caching::get()->attachOutOfMemoryObserver(
      [&](std::int64_t, std::size_t asked_for, std::size_t, std::size_t) {
        ++calls;
        size = static_cast<std::int64_t>(asked_for);
      });
  const std::int64_t limit = percent_of_the_gpu(1) / (2 * kMiB) * (2 * kMiB);  // it hears of whole segments
  caching::setMemoryFraction(0.01, c10::cuda::current_device());
  attempt("allocation", [&] { gpu_bytes(wrong ? limit * 2 : limit / 2); });  // don't: beyond the fraction
  fact("calls", calls);
  EXPECT_EQ(size, wrong ? limit * 2 : 0);
  caching::setMemoryFraction(1, c10::cuda::current_device());
}
