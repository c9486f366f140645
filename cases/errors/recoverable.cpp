#include <c10/cuda/CUDAException.h>

#include "case.h"
#include "support/capture.h"
#include "support/threads.h"

CASE(errors, accelerator_error_carries_the_code,
     .title = "A failed CUDA call is a c10::AcceleratorError with CUDA's own error number, and a c10::Error",
     .claims = {"dev.invalid-ordinal"}, .isolation = Isolation::shared) {
  bool thrown = false;
  try {
    c10::cuda::set_device(c10::cuda::device_count());
  } catch (const c10::Error& error) {
    thrown = true;
    const auto* failed_call = dynamic_cast<const c10::AcceleratorError*>(&error);
    ASSERT_NE(failed_call, nullptr);
    EXPECT_EQ(failed_call->get_error_code(), cudaErrorInvalidDevice);
  }
  EXPECT_TRUE(thrown);
  EXPECT_EQ(c10::cuda::current_device(), 0);
}

MISUSE(errors, invalid_argument,
       .title = "An invalid argument to a CUDA call is refused at the call, and the GPU stays usable",
       .claims = {"err.nonsticky-launch"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2), y = gpu_tensor(3);
  const void* source = wrong ? nullptr : y.data_ptr();  // don't: nothing to copy from
  const auto stream = c10::cuda::getCurrentCUDAStream();
  const bool copied = attempt("copy", [&] {
    C10_CUDA_CHECK(cudaMemcpyAsync(x.data_ptr(), source, x.nbytes(), cudaMemcpyDefault, stream));
  });
  expect_equal(x, copied ? 3 : 2);
  check_recovery();
}

MISUSE(errors, error_that_nobody_looked_at,
       .title = "The error of an unchecked CUDA call is thrown by the next operation of that thread, which "
                "did nothing wrong",
       .claims = {"err.per-thread", "nv.err.stale-blamed"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  const cudaError_t status = cudaMemcpyAsync(x.data_ptr(), nullptr, x.nbytes(), cudaMemcpyDefault,
                                             c10::cuda::getCurrentCUDAStream());
  require(status != cudaSuccess, "a copy from nowhere is refused");
  if (!wrong) (void)cudaGetLastError();  // whoever sees a failure takes it out of the thread's slot
  on_new_thread([&] { attempt("on another thread", [&] { expect_equal(x * 3, 6); }); });
  attempt("innocent operation", [&] { expect_equal(x * 5, 10); });
  attempt("operation after it", [&] { expect_equal(x * 7, 14); });
}

MISUSE(errors, size_checked_on_the_host,
       .title = "select() past the end is checked on the host for a CUDA tensor too: an IndexError, and the "
                "GPU stays usable", .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  const std::int64_t position = wrong ? x.size(0) : x.size(0) - 1;  // don't: positions end at size - 1
  Tensor last;
  if (attempt("select", [&] { last = x.select(0, position); })) expect_equal(last, 2);
  check_recovery();
}

MISUSE(errors, out_of_memory,
       .title = "An allocation beyond the memory fraction is an OutOfMemoryError, and a smaller one works "
                "afterwards",
       .claims = {"alloc.fraction.oom", "alloc.fraction.within"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  std::size_t unused = 0, total = 0;
  C10_CUDA_CHECK(cudaMemGetInfo(&unused, &total));
  c10::cuda::CUDACachingAllocator::setMemoryFraction(0.01, x.get_device());
  const auto bytes = static_cast<std::int64_t>(total / (wrong ? 50 : 200));  // don't: a hundredth is allowed
  attempt("allocation", [&] { at::empty({bytes}, x.options().dtype(at::kByte)); });
  check_recovery();
  c10::cuda::CUDACachingAllocator::setMemoryFraction(1.0, x.get_device());
  empty_cache();
}
