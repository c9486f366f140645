// What the caching allocator of the current GPU counts, and where it put a tensor.
#pragma once

#include <ATen/ATen.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <cstdint>

namespace cudasem {

/// `size` bytes on the current GPU, not initialised.
at::Tensor gpu_bytes(std::int64_t size);

inline constexpr std::int64_t kMiB = 1 << 20;

c10::CachingDeviceAllocator::DeviceStats device_stats();

/// One figure of device_stats(), for small and large allocations together: `current`, `peak`, and what was
/// ever `allocated` and `freed`.
const c10::CachingAllocator::Stat& total(const c10::CachingAllocator::StatArray& figure);

/// The piece of memory, as it came from CUDA, in which `tensor` lies. `owner_private_pool_id` is {0, 0} for
/// memory of no pool.
c10::CachingDeviceAllocator::SegmentInfo segment_of(const at::Tensor& tensor);

/// How many segments the pool `id` holds.
std::int64_t segments_in(c10::MempoolId_t id);

}  // namespace cudasem
