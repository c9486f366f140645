#include "case.h"
#include "support/accounting.h"
#include "support/capture.h"

namespace caching = c10::cuda::CUDACachingAllocator;

MISUSE(allocator, raw_memory_deleted_twice,
       .title = "raw_delete() of memory that was already deleted is refused as an invalid device pointer",
       .claims = {"alloc.raw.roundtrip"}, .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor first = gpu_tensor(0);
  const auto before = total(device_stats().allocated_bytes).current;
  void* memory = caching::raw_alloc(kMiB);
  EXPECT_EQ(total(device_stats().allocated_bytes).current - before, kMiB);
  caching::raw_delete(memory);
  if (wrong) attempt("raw_delete", [&] { caching::raw_delete(memory); });  // don't: it is not yours any more
  EXPECT_EQ(total(device_stats().allocated_bytes).current, before);
  check_recovery();
}

MISUSE(allocator, statistics_before_cuda,
       .title = "Statistics and limits of a GPU are refused until CUDA has been initialised; afterwards "
                "they work",
       .claims = {"stat.allocated", "alloc.fraction.getter"},
       .links = {"https://github.com/pytorch/pytorch/issues/49952"}, .needs = {.caching = true},
       .isolation = Isolation::right_shared) {
  if (!wrong) at::globalContext().lazyInitDevice(at::kCUDA);  // the allocator knows no GPU before this
  attempt("getDeviceStats", [] { caching::getDeviceStats(0); });
  attempt("resetPeakStats", [] { caching::resetPeakStats(0); });
  attempt("setMemoryFraction", [] { caching::setMemoryFraction(0.5, 0); });
  attempt("emptyCache", [] { caching::emptyCache(); });

  const Tensor first = gpu_tensor(2);
  EXPECT_EQ(total(caching::getDeviceStats(0).allocated_bytes).current, 4096);
  expect_equal(first, 2);
  caching::setMemoryFraction(1, 0);
}

CASE(allocator, caching_switched_off,
     .title = "With caching off a tensor's memory comes from CUDA and goes back to it, past the statistics",
     .claims = {"alloc.enable-switch"}, .needs = {.caching = true}, .isolation = Isolation::shared) {
  Tensor cached = gpu_bytes(4 * kMiB);
  const auto reserved = reserved_bytes();
  caching::enable(false);
  {
    const Tensor direct = gpu_tensor(5);
    expect_equal(direct, 5);
    EXPECT_EQ(total(device_stats().allocated_bytes).current, 4 * kMiB);
  }
  cached.reset();  // the way of freeing belongs to the tensor, not to the switch
  caching::enable(true);
  EXPECT_EQ(total(device_stats().allocated_bytes).current, 0);
  EXPECT_EQ(reserved_bytes(), reserved);
}

OBSERVE(allocator, raw_memory_on_a_side_stream,
        .title = "raw_alloc() takes memory for the current stream; the docstring says that the default stream is meant",
        .claims = {"alloc.raw.defaults"}, .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor first = gpu_tensor(0);
  const auto side = c10::cuda::getStreamFromPool(false);
  const c10::cuda::CUDAStreamGuard on_side(side);
  void* memory = caching::raw_alloc(kMiB);
  for (const auto& segment : caching::snapshot().segments) {
    if (segment.address != reinterpret_cast<std::size_t>(memory)) continue;
    fact("stream", segment.stream == side.stream() ? "current"
                   : segment.stream == nullptr     ? "default"
                                                   : "other");
  }
  caching::raw_delete(memory);
}
