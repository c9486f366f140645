#include "case.h"
#include "support/capture.h"

MISUSE(capture, side_stream_not_joined,
       .title = "A stream that was forked into a capture and not joined again makes capture_end fail",
       .claims = {"cap.fork.not-rejoined", "cap.fork-join"}) {
  Tensor x = gpu_tensor(2), y;
  at::cuda::CUDAGraph graph;
  c10::cuda::CUDAEvent forked, joined;
  const auto side = c10::cuda::getStreamFromPool(false);
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  c10::cuda::device_synchronize();
  graph.capture_begin();
  forked.record(capture_stream());
  forked.block(side);
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    y = x * 3;
    joined.record(side);
  }
  if (!wrong) joined.block(capture_stream());  // without this wait the side stream's work belongs to nobody
  const bool captured = attempt("capture_end", [&] { graph.capture_end(); });

  if (captured) {
    fill_canary(y);
    graph.replay();
    expect_equal(y, 6);
  }
}
