#include "case.h"
#include "support/capture.h"

MISUSE(capture, begin_inside_a_capture,
       .title = "A capture begun inside another on the same stream is refused; the outer one is usable "
                "afterwards",
       .claims = {"cap.single-capture"}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(2), outer_result, inner_result;
  at::cuda::CUDAGraph outer;
  auto inner = std::make_unique<at::cuda::CUDAGraph>();
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  c10::cuda::device_synchronize();
  outer.capture_begin();
  outer_result = x * 3;
  if (!wrong) outer.capture_end();

  const bool begun = attempt("inner capture_begin", [&] { inner->capture_begin(); });
  if (begun) {
    inner_result = x * 5;
    inner->capture_end();
    inner->replay();
    expect_equal(inner_result, 10);
  }
  mark("inner destroyed");
  inner.reset();
  if (wrong)
    attempt("outer capture_end", [&] { outer.capture_end(); });  // don't: end the outer capture first

  outer.replay();
  expect_equal(outer_result, 6);
}
