#include <c10/core/AllocatorConfig.h>
#include <c10/cuda/CUDAException.h>

#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"
#include "support/torch_compat.h"

namespace caching = c10::cuda::CUDACachingAllocator;

CASE(allocator, snapshot_adds_up_to_the_figures,
     .title = "The segments of a snapshot add up to the reserved bytes, their blocks to the allocated ones; a "
              "pool's belong to both",
     .claims = {"stat.reserved", "stat.allocated"},
     .links = {"https://github.com/pytorch/pytorch/pull/178240"}, .needs = {.caching = true},
     .isolation = Isolation::shared) {
  std::vector<Tensor> tensors = {gpu_bytes(700), gpu_bytes(3 * kMiB), gpu_bytes(40 * kMiB)};
  at::cuda::MemPool pool;
  const PoolScope scope(pool);
  tensors.push_back(gpu_bytes(5 * kMiB));
  tensors.erase(tensors.begin() + 1);
  std::size_t reserved = 0, allocated = 0;
  for (const auto& segment : caching::snapshot().segments) {
    reserved += segment.total_size;
    for (const auto& block : segment.blocks) allocated += block.allocated ? block.size : 0;
  }
  EXPECT_EQ(static_cast<std::int64_t>(reserved), total(device_stats().reserved_bytes).current);
  EXPECT_EQ(static_cast<std::int64_t>(allocated), total(device_stats().allocated_bytes).current);
}

CASE(allocator, snapshot_of_one_pool,
     .title = "A snapshot with a pool's id lists that pool's segments alone, one without an id those of all",
     .claims = {"stat.snapshot.pool-filter"}, .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor outside = gpu_bytes(kMiB);
  at::cuda::MemPool pool;
  Tensor inside;
  {
    const PoolScope scope(pool);
    inside = gpu_bytes(kMiB);
  }
  const auto of_the_pool = caching::snapshot(pool.id()).segments;
  ASSERT_EQ(of_the_pool.size(), 1U);
  EXPECT_EQ(of_the_pool[0].address, reinterpret_cast<std::size_t>(inside.const_data_ptr()));
  EXPECT_EQ(of_the_pool[0].owner_private_pool_id, pool.id());
  EXPECT_EQ(caching::snapshot().segments.size(), 2U);
}

CASE(allocator, snapshot_lists_every_gpu,
     .title = "One snapshot lists the segments of both GPUs, each with its device",
     .claims = {"stat.snapshot.all-devices"}, .needs = {.gpus = 2, .caching = true}) {
  const auto on = [](c10::DeviceIndex index) {
    return at::empty({512}, at::TensorOptions(at::Device(at::kCUDA, index)).dtype(at::kByte));
  };
  const Tensor first = on(0), second = on(1);
  const auto segments = caching::snapshot().segments;
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[0].device + segments[1].device, 1);
}

CASE(allocator, memory_taken_from_cuda_is_not_in_a_snapshot,
     .title = "What cudaMalloc() hands out directly is in no snapshot and in no figure of the allocator",
     .claims = {"stat.snapshot.blind-spot"}, .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor first = gpu_tensor(0);
  const auto segments = caching::snapshot().segments.size();
  const auto reserved = reserved_bytes();
  void* direct = nullptr;
  C10_CUDA_CHECK(cudaMalloc(&direct, 64 * kMiB));
  EXPECT_EQ(caching::snapshot().segments.size(), segments);
  EXPECT_EQ(reserved_bytes(), reserved);
  C10_CUDA_CHECK(cudaFree(direct));
}

CASE(allocator, memory_info_is_cudas,
     .title = "getMemoryInfo() tells what cudaMemGetInfo() does: a cached segment lowers the free memory, "
              "memory within it does not",
     .claims = {"stat.mem_get_info"}, .needs = {.caching = true}, .isolation = Isolation::exclusive) {
  c10::CachingAllocator::setAllocatorSettings("expandable_segments:False");
  const auto info = [] { return caching::get()->getMemoryInfo(c10::cuda::current_device()); };
  const Tensor first = gpu_tensor(0);
  const auto before = info();
  { const Tensor cached = gpu_bytes(64 * kMiB); }
  EXPECT_EQ(before.first - info().first, 64 * kMiB);
  const Tensor within = gpu_bytes(32 * kMiB);
  EXPECT_EQ(before.first - info().first, 64 * kMiB);
  std::size_t free = 0, all = 0;
  C10_CUDA_CHECK(cudaMemGetInfo(&free, &all));
  EXPECT_EQ(info(), std::pair(free, all));
}

CASE(allocator, bytes_of_each_private_pool,
     .title = "What is reserved is also counted for each private pool; without its pools the rest is ordinary memory",
     .claims = {"stat.private-pools"}, .needs = {.features = {"private_pool_bytes"}, .caching = true},
     .isolation = Isolation::shared) {
  const Tensor outside = gpu_bytes(kMiB);
  at::cuda::MemPool small, large;
  Tensor in_small, in_large;
  {
    const PoolScope scope(small);
    in_small = gpu_bytes(512);
  }
  {
    const PoolScope scope(large);
    in_large = gpu_bytes(3 * kMiB);
  }
  EXPECT_EQ(private_pool_bytes(device_stats(), small.id()), 2 * kMiB);
  EXPECT_EQ(private_pool_bytes(device_stats(), large.id()), 20 * kMiB);
  EXPECT_EQ(reserved_bytes(), (2 + 2 + 20) * kMiB);
}
