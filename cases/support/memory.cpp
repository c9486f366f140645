#include "support/memory.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>

#include <thread>

namespace cudasem {
namespace allocator = c10::cuda::CUDACachingAllocator;

at::Tensor gpu_tensor(double value) {
  return at::full({1024}, value, at::device(at::kCUDA).dtype(at::kFloat));
}

std::int64_t reserved_bytes() {
  const auto stats = allocator::getDeviceStats(c10::cuda::current_device());
  return stats.reserved_bytes[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)].current;
}

void empty_cache() {
  allocator::emptyCache();
}

PoolScope::PoolScope(at::cuda::MemPool& pool) : device_(pool.device()), id_(pool.id()) {
  allocator::beginAllocateToPool(device_, id_, [owner = std::this_thread::get_id()](cudaStream_t) {
    return std::this_thread::get_id() == owner;
  });
}

PoolScope::~PoolScope() {
  allocator::endAllocateToPool(device_, id_);
  allocator::releasePool(device_, id_);  // beginAllocateToPool took a reference
}

}  // namespace cudasem
