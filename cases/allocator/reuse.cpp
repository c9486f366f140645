#include "case.h"
#include "support/accounting.h"
#include "support/gate.h"
#include "support/memory.h"

namespace caching = c10::cuda::CUDACachingAllocator;

CASE(allocator, freed_block_serves_its_own_stream,
     .title = "A freed block goes to the next tensor of its size on the same stream, and not to another "
              "stream",
     .claims = {"str.record.not-needed-same-stream", "alloc.free-keeps-reserved"}, .needs = {.caching = true},
     .isolation = Isolation::shared) {
  Tensor tensor = gpu_tensor(1);
  const void* block = tensor.const_data_ptr();
  tensor.reset();
  {
    const c10::cuda::CUDAStreamGuard on_side(c10::cuda::getStreamFromPool(false));
    const Tensor elsewhere = gpu_tensor(2);
    EXPECT_NE(elsewhere.const_data_ptr(), block);
  }
  const Tensor again = gpu_tensor(3);
  EXPECT_EQ(again.const_data_ptr(), block);
}

CASE(allocator, recorded_block_waits_for_its_stream,
     .title = "After record_stream a freed tensor leaves the allocated bytes, but stays in the active "
              "ones until that stream is done",
     .claims = {"stat.snapshot.block-states", "str.record.after-sync-reusable", "alloc.free-no-sync"},
     .needs = {.caching = true}, .isolation = Isolation::shared) {
  const auto side = c10::cuda::getStreamFromPool(false);
  const Tensor warm = gpu_tensor(0);
  const auto waiting = [] {
    const auto stats = device_stats();
    return total(stats.active_bytes).current - total(stats.allocated_bytes).current;
  };
  Gate gate;
  gate.hold(side);
  Tensor used = gpu_tensor(1);
  const void* block = used.const_data_ptr();
  caching::recordStream(used.storage().data_ptr(), side);
  used.reset();
  EXPECT_EQ(waiting(), 4096);
  const Tensor other = gpu_tensor(2);
  EXPECT_NE(other.const_data_ptr(), block);

  gate.open();
  side.synchronize();
  EXPECT_EQ(waiting(), 4096);  // only the next allocation looks
  const Tensor again = gpu_tensor(3);
  EXPECT_EQ(waiting(), 0);
}

OBSERVE(allocator, expandable_segments_switched_on_late,
        .title = "expandable_segments:True leaves blocks made before it as they are, and goes on handing "
                 "them out",
        .claims = {"conf.expandable.default-off", "conf.expandable.grows"},
        .links = {"https://github.com/pytorch/pytorch/blob/main/test/test_cuda.py"}, .needs = {.caching = true}) {
  const auto kind = [](const Tensor& tensor) {
    return segment_of(tensor).is_expandable ? "expandable" : "ordinary";
  };
  const Tensor before = gpu_bytes(512);
  c10::CachingAllocator::setAllocatorSettings("expandable_segments:True");
  const Tensor from_the_cache = gpu_bytes(512);
  const Tensor fresh = gpu_bytes(32 * kMiB);
  fact("before", kind(before));
  fact("from_the_cache", kind(from_the_cache));
  fact("fresh", kind(fresh));
  c10::CachingAllocator::setAllocatorSettings("expandable_segments:False");
}
