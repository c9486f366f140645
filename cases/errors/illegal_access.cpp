#include <c10/cuda/CUDAException.h>

#include "case.h"
#include "support/memory.h"

MISUSE(errors, memory_freed_under_a_tensor,
       .title = "Reading a from_blob tensor after its memory was freed is an illegal access, and the "
                "process loses the GPU",
       .claims = {"err.sticky-illegal"}, .isolation = Isolation::right_shared) {
  constexpr std::int64_t elements = 16 << 20;  // 64 MiB: enough to be unmapped at once when freed
  void* memory = nullptr;
  const Tensor one = gpu_tensor(1);
  C10_CUDA_CHECK(cudaMalloc(&memory, elements * sizeof(float)));
  Tensor x = at::from_blob(memory, {elements}, one.options());
  x.fill_(2);
  require_equal(x.sum(), 2 * elements);

  if (wrong) C10_CUDA_CHECK(cudaFree(memory));  // don't: x looks at this memory and keeps nothing alive
  attempt("sum", [&] {
    const Tensor sum = x.sum();
    c10::cuda::device_synchronize();
    expect_equal(sum, 2 * elements);
  });
  attempt("next operation", [&] { expect_equal(one * 3, 3); });
  x.reset();
  if (!wrong) C10_CUDA_CHECK(cudaFree(memory));
}
