#include <c10/cuda/CUDAException.h>
#include <cuda.h>

#include "case.h"
#include "support/memory.h"
#include "support/threads.h"

CASE(device_selection, cpu_work_starts_no_context,
     .title = "Work on CPU tensors creates no CUDA context; the first CUDA tensor does",
     .claims = {"dev.lazy-init"}) {
  const Tensor host = at::full({1024}, 2.0);
  expect_equal(host * 3, 6);
  EXPECT_FALSE(c10::cuda::hasPrimaryContext(0));
  (void)gpu_tensor(1);
  EXPECT_TRUE(c10::cuda::hasPrimaryContext(0));
}

OBSERVE(device_selection, what_creates_a_context,
        .title = "A guard for the current GPU and set_device() of it create no context; set_device() with "
                 "force does",
        .claims = {"dev.lazy-init", "dev.set-inits"},
        .links = {"https://github.com/pytorch/pytorch/issues/122940"}, .isolation = Isolation::shared) {
  const auto context = [] { return c10::cuda::hasPrimaryContext(0) ? "yes" : "no"; };
  { const c10::cuda::CUDAGuard guard(0); }
  fact("after_guard", context());
  c10::cuda::set_device(0);
  fact("after_set_device", context());
  c10::cuda::set_device(0, /*force=*/true);
  fact("after_forced_set_device", context());
  (void)gpu_tensor(1);
  fact("after_first_tensor", context());
}

OBSERVE(device_selection, driver_context_of_a_new_thread,
        .title = "On a new thread CUDAGuard(0) leaves the driver without a current context until the "
                 "first operation",
        .links = {"https://github.com/pytorch/pytorch/issues/195256"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  C10_CUDA_CHECK(
      cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, 12000, cudaEnableDefault, &found));
  require(found == cudaDriverEntryPointSuccess, "the driver has cuCtxGetCurrent");
  const auto current = [&] {
    CUcontext context = nullptr;
    require(reinterpret_cast<CUresult (*)(CUcontext*)>(entry)(&context) == CUDA_SUCCESS,
            "the driver answers");
    return context == nullptr ? "none" : "current";
  };
  on_new_thread([&] {
    const c10::cuda::CUDAGuard guard(0);
    fact("after_guard", current());
    expect_equal(x * 3, 6);
    fact("after_operation", current());
  });
}
