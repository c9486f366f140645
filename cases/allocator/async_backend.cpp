#include <c10/core/AllocatorConfig.h>

#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"

// PYTORCH_CUDA_ALLOC_CONF is an alias of PYTORCH_ALLOC_CONF: it wins where a profile sets the other one.

namespace caching = c10::cuda::CUDACachingAllocator;

CASE(allocator, async_backend_counts_little,
     .title = "The backend cudaMallocAsync counts bytes, but neither segments nor splits nor calls: those figures "
              "are zero",
     .claims = {"stat.async.zeros", "conf.backend.values"},
     .env = {{"PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync"}}) {
  require(caching::get()->name() == "cudaMallocAsync", "the environment chooses the backend");
  const Tensor first = gpu_bytes(4 * kMiB), second = gpu_bytes(700);
  expect_equal(gpu_tensor(2) * 2, 4);
  const auto stats = device_stats();
  EXPECT_GE(total(stats.allocated_bytes).current, 4 * kMiB + 700);
  EXPECT_GE(total(stats.reserved_bytes).current, total(stats.allocated_bytes).current);
  EXPECT_EQ(total(stats.segment).current, 0);
  EXPECT_EQ(total(stats.inactive_split_bytes).current, 0);
  EXPECT_EQ(stats.num_device_alloc, 0);
  EXPECT_EQ(stats.num_alloc_retries, 0);
}

CASE(allocator, async_backend_ignores_sizes,
     .title = "The backend cudaMallocAsync ignores max_split_size_mb and roundup_power2_divisions: 1200 KiB take "
              "1200 KiB, and no split limit is told",
     .claims = {"conf.max_split.async-ignored", "conf.roundup.async-ignored"},
     .env = {{"PYTORCH_CUDA_ALLOC_CONF",
              "backend:cudaMallocAsync,max_split_size_mb:32,roundup_power2_divisions:4"}}) {
  require(caching::get()->name() == "cudaMallocAsync", "the environment chooses the backend");
  require(c10::CachingAllocator::AcceleratorAllocatorConfig::max_split_size() == 32 * kMiB, "both are set");
  const Tensor tensor = gpu_bytes(1200 * 1024);
  EXPECT_EQ(total(device_stats().allocated_bytes).current, 1200 * 1024);
  EXPECT_EQ(device_stats().max_split_size, 0);
}

CASE(allocator, async_peak_is_a_bound,
     .title = "With cudaMallocAsync the reserved bytes fall with emptyCache(), and their peak is never below them",
     .claims = {"stat.max_reserved.async-bound", "alloc.empty_cache.releases"},
     .env = {{"PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync"}}) {
  { const Tensor brief = gpu_bytes(256 * kMiB); }
  const auto held = total(device_stats().reserved_bytes);
  EXPECT_GE(held.current, 256 * kMiB);
  EXPECT_GE(held.peak, held.current);
  empty_cache();
  const auto emptied = total(device_stats().reserved_bytes);
  EXPECT_LT(emptied.current, 256 * kMiB);
  EXPECT_GE(emptied.peak, 256 * kMiB);
}
