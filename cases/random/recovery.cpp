#include "case.h"
#include "support/capture.h"
#include "support/random.h"

MISUSE(random, after_a_capture_that_did_not_begin,
       .title = "After a refused capture_begin() on the default stream eager random numbers fail on 2.11, "
                "later they work",
       .claims = {"rng.permitted"}, .links = {"https://github.com/pytorch/pytorch/pull/176752"},
       .isolation = Isolation::shared) {
  at::Generator generator = default_generator(7);
  const Tensor want = gpu_random();
  generator.set_current_seed(7);
  {
    at::cuda::CUDAGraph graph;
    c10::cuda::OptionalCUDAStreamGuard capturing;
    if (!wrong) capturing.reset_stream(capture_stream());  // the default stream cannot be captured
    if (attempt("capture_begin", [&] { graph.capture_begin(); })) graph.capture_end();
  }
  attempt("eager random numbers", [&] { expect_equal(gpu_random(), want); });
  check_recovery();
  attempt("after a whole capture", [&] { gpu_random(); });
}

MISUSE(random, after_a_lost_capture,
       .title = "After a capture that was lost with random numbers in it eager ones fail on 2.11; from "
                "2.13 on they go on",
       .claims = {"rng.permitted", "cap.sync.explicit"},
       .links = {"https://github.com/pytorch/pytorch/pull/176752"}, .isolation = Isolation::right_shared) {
  at::Generator generator = default_generator(7);
  const Tensor want = gpu_random();
  generator.set_current_seed(7);
  {
    at::cuda::CUDAGraph graph;
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    graph.capture_begin();
    const Tensor drawn = gpu_random();
    if (wrong) attempt("synchronize", [&] { capture_stream().synchronize(); });  // don't: loses the capture
    attempt("capture_end", [&] { graph.capture_end(); });
  }
  attempt("eager random numbers", [&] { expect_equal(gpu_random(), want); });
}
