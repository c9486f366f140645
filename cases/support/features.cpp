#include "support/features.h"

#include "support/torch_compat.h"

namespace cudasem {

bool has_feature(std::string_view name) {
  if (name == "retain_pool") return RetainsPools<at::cuda::CUDAGraph>;
  if (name == "if_nodes") return CapturesIfNodes<at::cuda::CUDAGraph>;
  if (name == "while_nodes") return CapturesWhileNodes<at::cuda::CUDAGraph>;
  if (name == "oom_rejections") return CountsOomRejections<c10::CachingDeviceAllocator::DeviceStats>;
  if (name == "private_pool_bytes") return CountsPrivatePools<c10::CachingDeviceAllocator::DeviceStats>;
  if (name == "pinned_limits") return LimitsPinnedBlocks<c10::CachingAllocator::AcceleratorAllocatorConfig>;
  if (name == "segment_reserve") {
    return ReservesSegmentAddresses<c10::cuda::CUDACachingAllocator::CUDAAllocatorConfig>;
  }
  if (name == "debug_dump") return DumpsItself<at::cuda::CUDAGraph>;
  if (name == "split_capture_end") return SplitsCaptureEnd<at::cuda::CUDAGraph>;
  if (name == "redirects_stale_streams") return RedirectsStaleStreams<at::Context>;
  return false;
}

}  // namespace cudasem
