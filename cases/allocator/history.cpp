#include "case.h"
#include "support/accounting.h"
#include "support/gate.h"
#include "support/memory.h"

namespace caching = c10::cuda::CUDACachingAllocator;
using c10::CachingDeviceAllocator::TraceEntry;

/// The action of a trace entry, as snapshots in Python call it.
static std::string_view name_of(TraceEntry::Action action) {
  switch (action) {
    case TraceEntry::ALLOC:
      return "alloc";
    case TraceEntry::FREE_REQUESTED:
      return "free_requested";
    case TraceEntry::FREE_COMPLETED:
      return "free_completed";
    case TraceEntry::SEGMENT_ALLOC:
    case TraceEntry::SEGMENT_MAP:
      return "segment_alloc";
    case TraceEntry::SEGMENT_FREE:
    case TraceEntry::SEGMENT_UNMAP:
      return "segment_free";
    default:
      return "other";
  }
}

static void record_history(bool enabled) {
  caching::recordHistory(enabled, nullptr, 100, caching::RecordContext::NEVER, /*clearHistory=*/true, {});
}

OBSERVE(allocator, history_of_a_tensor,
        .title = "A recorded history tells a tensor's segment, its allocation, that it was freed, and the segment's end "
                 "with emptyCache()",
        .links = {"https://docs.pytorch.org/docs/stable/torch_cuda_memory.html"}, .needs = {.caching = true}) {
  at::globalContext().lazyInitDevice(at::kCUDA);
  record_history(true);
  gpu_bytes(512);
  empty_cache();
  std::string actions;
  const auto snapshot = caching::snapshot();
  for (const auto& entry : snapshot.device_traces.at(0)) {
    actions += (actions.empty() ? "" : " ") + std::string(name_of(entry.action_));
  }
  record_history(false);
  fact("actions", actions);
}

CASE(allocator, free_completes_when_the_other_stream_is_done,
     .title = "In a history the free of a tensor that another stream uses is requested at once and completed only "
              "once that stream is done",
     .claims = {"stat.snapshot.block-states"}, .needs = {.caching = true}) {
  const auto side = c10::cuda::getStreamFromPool(false);
  const Tensor warm = gpu_tensor(0);
  const auto frees = [](TraceEntry::Action which) {
    std::int64_t count = 0;
    const auto snapshot = caching::snapshot();
    for (const auto& entry : snapshot.device_traces.at(0)) count += entry.action_ == which;
    return count;
  };
  Gate gate;
  gate.hold(side);
  Tensor used = gpu_tensor(1);
  caching::recordStream(used.storage().data_ptr(), side);
  record_history(true);
  used.reset();
  EXPECT_EQ(frees(TraceEntry::FREE_REQUESTED), 1);
  EXPECT_EQ(frees(TraceEntry::FREE_COMPLETED), 0);
  gate.open();
  side.synchronize();
  const Tensor next = gpu_tensor(2);  // only an allocation looks
  EXPECT_EQ(frees(TraceEntry::FREE_COMPLETED), 1);
  record_history(false);
}

OBSERVE(allocator, trackers_see_segments,
        .title = "An attached tracker is told of a segment when CUDA gives it and when emptyCache() returns it, without "
                 "a recorded history",
        .links = {"https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/test/"
                  "cuda_allocatorTraceTracker_test.cpp"},
        .needs = {.caching = true}) {
  static std::int64_t given = 0, returned = 0;
  at::globalContext().lazyInitDevice(at::kCUDA);
  caching::attachAllocatorTraceTracker([](const TraceEntry& entry) {
    given += name_of(entry.action_) == "segment_alloc";
    returned += name_of(entry.action_) == "segment_free";
  });
  { const Tensor first = gpu_bytes(512), second = gpu_bytes(512); }
  fact("given", given);
  fact("returned_before_the_cache_is_emptied", returned);
  empty_cache();
  fact("returned", returned);
}
