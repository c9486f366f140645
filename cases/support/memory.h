// Tensors and memory of the current GPU, as cases need them.
#pragma once

#include <ATen/ATen.h>
#include <ATen/cuda/MemPool.h>

#include <cstdint>

namespace cudasem {

/// 1024 floats of `value` on the current GPU.
at::Tensor gpu_tensor(double value);

/// Bytes that the caching allocator holds from CUDA on the current GPU, in use or not.
std::int64_t reserved_bytes();

/// Gives every unused cached block of the current GPU back to CUDA. Waits for the device.
void empty_cache();

/// While it lives, this thread's allocations on the current GPU come from `pool`; what
/// torch.cuda.use_mem_pool does. It keeps nothing alive: `pool` must outlive it.
class PoolScope {
 public:
  explicit PoolScope(at::cuda::MemPool& pool);
  ~PoolScope();
  PoolScope(const PoolScope&) = delete;
  PoolScope& operator=(const PoolScope&) = delete;

 private:
  c10::DeviceIndex device_;
  c10::MempoolId_t id_;
};

}  // namespace cudasem
