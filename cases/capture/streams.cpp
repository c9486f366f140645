#include <c10/cuda/CUDAGraphsC10Utils.h>

#include "case.h"
#include "support/capture.h"

MISUSE(capture, begin_on_the_default_stream,
       .title = "capture_begin on the default stream is refused, and nothing else is harmed",
       .claims = {"cap.default-stream"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y;
  c10::cuda::device_synchronize();
  {
    at::cuda::CUDAGraph graph;
    // don't: the default stream cannot capture
    const c10::cuda::CUDAStreamGuard on(wrong ? c10::cuda::getDefaultCUDAStream() : capture_stream());
    if (attempt("capture_begin", [&] { graph.capture_begin(); })) {
      y = x * 3;
      graph.capture_end();
      graph.replay();
      expect_equal(y, 6);
    }
  }
  check_recovery();
}

MISUSE(capture, work_on_an_unrelated_stream,
       .title = "Work on a stream that was not forked from the capture runs at once and is silently missing "
                "from the graph",
       .claims = {"cap.fork.not-branched", "nv.stream.offstream-silent"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1), y = gpu_tensor(0), sum = gpu_tensor(0);
  at::add_out(sum, x, x);
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent forked, joined;
  const Graph graph = capture([&] {
    y.copy_(x);
    forked.record();
    if (!wrong) forked.block(side);  // don't leave this out: `side` would know nothing of the capture
    const c10::cuda::CUDAStreamGuard on_side(side);
    at::add_out(sum, x, x);
    joined.record(side);
    if (!wrong) joined.block(capture_stream());
  });
  c10::cuda::device_synchronize();

  x.fill_(5);
  replay(graph);
  expect_equal(y, 5);
  expect_intact(sum, 10);
}

MISUSE(capture, ended_on_another_stream,
       .title = "capture_end with another current stream than capture_begin had is refused; on the right "
                "stream it still works",
       .claims = {"cap.end.same-stream"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y;
  at::cuda::CUDAGraph graph;
  const auto side = c10::cuda::getStreamFromPool(false);
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  c10::cuda::device_synchronize();
  graph.capture_begin();
  y = x * 3;
  const bool ended = attempt("capture_end", [&] {
    const c10::cuda::CUDAStreamGuard on(wrong ? side : capture_stream());  // don't: it ends where it began
    graph.capture_end();
  });
  if (!ended) graph.capture_end();
  graph.replay();
  expect_equal(y, 6);
}

CASE(capture, status_follows_fork_and_end,
     .title = "A stream captures from capture_begin, or from waiting for captured work, until capture_end",
     .claims = {"cap.is_capturing", "cap.fork.propagates"}, .isolation = Isolation::shared) {
  using c10::cuda::CaptureStatus;
  gpu_tensor(1);  // starts the caching allocator
  const auto side = c10::cuda::getStreamFromPool(false);
  const auto status_of = [](const c10::cuda::CUDAStream& stream) {
    const c10::cuda::CUDAStreamGuard on(stream);
    return c10::cuda::currentStreamCaptureStatusMayInitCtx();
  };
  c10::cuda::CUDAEvent forked, joined;
  EXPECT_EQ(status_of(capture_stream()), CaptureStatus::None);
  const Graph graph = capture([&] {
    EXPECT_EQ(status_of(capture_stream()), CaptureStatus::Active);
    EXPECT_EQ(status_of(side), CaptureStatus::None);
    forked.record();
    forked.block(side);
    EXPECT_EQ(status_of(side), CaptureStatus::Active);
    joined.record(side);
    joined.block(capture_stream());
  });
  EXPECT_EQ(status_of(capture_stream()), CaptureStatus::None);
  EXPECT_EQ(status_of(side), CaptureStatus::None);
}
