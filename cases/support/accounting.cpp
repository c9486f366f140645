#include "support/accounting.h"

#include <c10/cuda/CUDAFunctions.h>

#include "case.h"

namespace cudasem {
namespace allocator = c10::cuda::CUDACachingAllocator;

at::Tensor gpu_bytes(std::int64_t size) {
  return at::empty({size}, at::device(at::kCUDA).dtype(at::kByte));
}

c10::CachingDeviceAllocator::DeviceStats device_stats() {
  return allocator::getDeviceStats(c10::cuda::current_device());
}

const c10::CachingAllocator::Stat& total(const c10::CachingAllocator::StatArray& figure) {
  return figure[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
}

c10::CachingDeviceAllocator::SegmentInfo segment_of(const at::Tensor& tensor) {
  const auto address = reinterpret_cast<std::size_t>(tensor.const_data_ptr());
  for (const auto& segment : allocator::snapshot({0, 0}, /*include_traces=*/false).segments) {
    if (segment.address <= address && address < segment.address + segment.total_size) return segment;
  }
  require(false, "the tensor lies in a segment of the caching allocator");
  return {};
}

std::int64_t segments_in(c10::MempoolId_t id) {
  return static_cast<std::int64_t>(allocator::snapshot(id, /*include_traces=*/false).segments.size());
}

}  // namespace cudasem
