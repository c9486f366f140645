#include "case.h"
#include "support/capture.h"

MISUSE(shared_pool, second_capture_before_the_first_ends,
       .title = "A second capture into a pool that a first one is still recording into is refused; the "
                "first is unharmed",
       .claims = {"gmem.handle.opaque"}, .isolation = Isolation::right_shared) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor x = gpu_tensor(1), first, second;
  at::cuda::CUDAGraph one, two;
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard on_one(c10::cuda::getStreamFromPool(false));
  one.capture_begin(pool);
  first = x * 2;
  if (!wrong) one.capture_end();

  bool begun = false;
  {
    const c10::cuda::CUDAStreamGuard on_two(c10::cuda::getStreamFromPool(false));
    begun = attempt("second capture_begin", [&] { two.capture_begin(pool); });
    if (begun) {
      second = x * 3;
      two.capture_end();
    }
  }
  if (wrong) one.capture_end();  // don't: the pool is free only from here on

  one.replay();
  expect_equal(first, 2);
  if (begun) {
    two.replay();
    expect_equal(second, 3);
  }
}
