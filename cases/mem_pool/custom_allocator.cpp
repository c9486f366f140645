#include <torch/csrc/cuda/CUDAPluggableAllocator.h>

#include <optional>

#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"

static std::int64_t allocations = 0;
static std::int64_t frees = 0;

static std::shared_ptr<c10::cuda::CUDACachingAllocator::CUDAAllocator> counting_allocator() {
  return torch::cuda::CUDAPluggableAllocator::createCustomAllocator(
      [](std::size_t size, int, cudaStream_t) {
        ++allocations;
        void* memory = nullptr;
        C10_CUDA_CHECK(cudaMalloc(&memory, size));
        return memory;
      },
      [](void* memory, std::size_t, int, cudaStream_t) {
        ++frees;
        C10_CUDA_CHECK(cudaFree(memory));
      });
}

CASE(mem_pool, custom_allocator_provides_segments,
     .title = "A pool's own allocator is asked for whole segments, out of which tensors are cut as usual",
     .claims = {"pool.custom-allocator", "pool.segments.packing"}, .needs = {.caching = true},
     .isolation = Isolation::shared) {
  const Tensor outside = gpu_bytes(kMiB);
  at::cuda::MemPool pool(counting_allocator());
  const PoolScope scope(pool);
  EXPECT_EQ(allocations, 0);
  const Tensor first = gpu_bytes(kMiB), second = gpu_bytes(kMiB);
  EXPECT_EQ(allocations, 1);
  const Tensor third = gpu_bytes(kMiB);
  EXPECT_EQ(allocations, 2);
  EXPECT_EQ(segments_in(pool.id()), 2);
}

CASE(mem_pool, custom_allocator_outlives_its_pool,
     .title = "A segment goes back to the allocator it came from, even if pool and allocator are dropped "
              "before the tensor",
     .claims = {"pool.custom-allocator", "pool.delete.live-tensor"},
     .links = {"https://github.com/pytorch/pytorch/issues/167745",
               "https://github.com/pytorch/pytorch/issues/146431"}, .needs = {.caching = true}) {
  const Tensor outside = gpu_tensor(0);
  std::optional<at::cuda::MemPool> pool(counting_allocator());
  Tensor survivor;
  {
    const PoolScope scope(*pool);
    survivor = gpu_tensor(2);
  }
  pool.reset();
  empty_cache();
  EXPECT_EQ(frees, 0);
  expect_intact(survivor, 2);

  survivor.reset();
  empty_cache();
  EXPECT_EQ(frees, 1);
}
