#include "case.h"
#include "support/capture.h"

MISUSE(capture, side_stream_not_joined,
       .title = "A stream that was forked into a capture and not joined again makes capture_end fail",
       .claims = {"cap.fork.not-rejoined", "nv.stream.outlet-missing"},
       .isolation = Isolation::right_shared) {
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

MISUSE(capture, joined_without_a_fork,
       .title = "A stream that is joined to a capture but never forked from it is refused at the join, and "
                "the capture is lost",
       .claims = {"cap.fork-join", "nv.stream.inlet-missing"}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(2), sum = gpu_tensor(0);
  at::add_out(sum, x, x);
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent forked, joined;
  at::cuda::CUDAGraph graph;
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  c10::cuda::device_synchronize();
  graph.capture_begin();
  forked.record(capture_stream());
  if (!wrong) forked.block(side);  // don't leave this out: what runs on `side` is not captured
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    at::add_out(sum, x, x);  // into memory that is there
    joined.record(side);
  }
  attempt("join", [&] { joined.block(capture_stream()); });
  if (!attempt("capture_end", [&] { graph.capture_end(); })) return;
  x.fill_(5);
  graph.replay();
  expect_equal(sum, 10);
}
