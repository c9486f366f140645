#include "case.h"
#include "support/capture.h"

MISUSE(capture, item_inside,
       .title = "item() inside a capture is refused, and so is everything after it: the capture is lost",
       .claims = {"cap.sync.item", "nv.capture.sync.item"}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(2), y;
  at::cuda::CUDAGraph graph;
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  c10::cuda::device_synchronize();
  graph.capture_begin();
  y = x * 3;
  if (wrong) attempt("item", [&] { y[0].item(); });  // don't: y has no value until the graph is replayed
  attempt("next operation", [&] { y = y + 1; });
  const bool captured = attempt("capture_end", [&] { graph.capture_end(); });

  if (captured) {
    fill_canary(y);
    graph.replay();
    EXPECT_EQ(y[0].item<float>(), 7);
  }
}
