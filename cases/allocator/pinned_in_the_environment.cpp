#include <ATen/core/CachingHostAllocator.h>
#include <c10/cuda/CUDAAllocatorConfig.h>
#include <c10/cuda/CUDAException.h>

#include <cstdlib>

#include "case.h"
#include "support/accounting.h"
#include "support/environment.h"
#include "support/memory.h"

static Tensor pinned_block(std::int64_t size) {
  return at::empty({size}, at::device(at::kCPU).dtype(at::kByte).pinned_memory(true));
}

MISUSE(allocator, registered_host_memory,
       .title = "With pinned_use_cuda_host_register:True pinned memory is ordinary memory that was registered; "
                "by default it is CUDA's own, which cudaHostUnregister() refuses",
       .claims = {"conf.pinned.host_register"}) {
  // don't: unregister by hand what was not registered
  set_alloc_conf(wrong ? "pinned_use_cuda_host_register:False" : "pinned_use_cuda_host_register:True");
  Tensor source = pinned_block(4 * kMiB);
  source.fill_(3);
  EXPECT_TRUE(source.is_pinned());
  EXPECT_TRUE(source.to(at::kCUDA).eq(3).all().item<bool>());
  void* memory = source.data_ptr();
  const bool registered = attempt("cudaHostUnregister", [&] { C10_CUDA_CHECK(cudaHostUnregister(memory)); });
  if (registered) C10_CUDA_CHECK(cudaHostRegister(memory, 4 * kMiB, cudaHostRegisterDefault));
}

MISUSE(allocator, three_register_threads,
       .title = "pinned_num_register_threads must be a power of two: 3 is refused at the first use of a setting "
                "of CUDA, 4 is taken",
       .claims = {"conf.pinned.register_threads"}, .needs = {.gpus = 0}) {
  set_alloc_conf(wrong ? "pinned_num_register_threads:3"  // don't: 1, 2, 4 …
                       : "pinned_num_register_threads:4");
  using c10::cuda::CUDACachingAllocator::CUDAAllocatorConfig;
  const bool used = attempt("first use", [] { CUDAAllocatorConfig::pinned_num_register_threads(); });
  if (used) EXPECT_EQ(CUDAAllocatorConfig::pinned_num_register_threads(), 4U);
}

CASE(allocator, reserved_pinned_segment,
     .title = "With pinned_reserve_segment_size_mb:16 small pinned tensors come from one segment: CUDA is asked "
              "once, not for each",
     .claims = {"conf.pinned.reserve_segment"}) {
  set_alloc_conf("pinned_reserve_segment_size_mb:16");
  std::vector<Tensor> tensors;
  for (int i = 0; i < 20; ++i) tensors.push_back(pinned_block(64 * 1024));
  const auto* first = static_cast<const char*>(tensors.front().const_data_ptr());
  for (const Tensor& tensor : tensors) {
    const auto* address = static_cast<const char*>(tensor.const_data_ptr());
    EXPECT_LT(std::abs(address - first), 16 * kMiB);
  }
  fact("calls_to_cuda", at::getHostAllocator(at::kCUDA)->get_stats().host_alloc_time.count);
}
