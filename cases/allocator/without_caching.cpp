#include <c10/cuda/CUDAException.h>

#include <cstdlib>

#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"

CASE(allocator, caching_off_from_outside,
     .title = "With PYTORCH_NO_CUDA_MEMORY_CACHING=1 nothing is reserved, and a dropped tensor's memory is CUDA's again "
              "at once",
     .claims = {"env.no_memory_caching"}, .needs = {.caching = true}) {
  setenv("PYTORCH_NO_CUDA_MEMORY_CACHING", "1", 1);
  Tensor tensor = gpu_tensor(3);
  expect_equal(tensor, 3);
  EXPECT_EQ(reserved_bytes(), 0);
  const void* memory = tensor.const_data_ptr();
  cudaPointerAttributes attributes = {};
  C10_CUDA_CHECK(cudaPointerGetAttributes(&attributes, memory));
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  tensor.reset();
  C10_CUDA_CHECK(cudaPointerGetAttributes(&attributes, memory));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
}
