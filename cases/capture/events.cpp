#include "case.h"
#include "support/capture.h"

MISUSE(capture, captured_event_queried,
       .title = "query() of an event recorded in a capture is refused and loses the capture; recorded again "
                "after the replay it can be queried",
       .claims = {"cap.sync.explicit"},
       .links = {"https://docs.nvidia.com/cuda/cuda-programming-guide/"},
       .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(2), y;
  c10::cuda::CUDAEvent done;
  at::cuda::CUDAGraph graph;
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  c10::cuda::device_synchronize();
  graph.capture_begin();
  y = x * 3;
  done.record();
  if (wrong)
    attempt("query", [&] { done.query(); });  // don't: inside a capture an event is an edge of the graph
  if (!attempt("capture_end", [&] { graph.capture_end(); })) return;

  graph.replay();
  done.record();
  done.synchronize();
  EXPECT_TRUE(done.query());
  expect_equal(y, 6);
}

MISUSE(capture, waits_for_uncaptured_work,
       .title = "Waiting inside a capture for an event recorded before it is refused; waiting before the "
                "capture works",
       .claims = {"cap.fork.not-branched", "nv.stream.isolation"}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(2), y;
  c10::cuda::CUDAEvent prepared;
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    x.fill_(4);
    prepared.record(side);
  }
  at::cuda::CUDAGraph graph;
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    if (!wrong) prepared.block(capture_stream());
    graph.capture_begin();
    y = x * 3;
    // don't: a graph cannot depend on work that is not part of it
    if (wrong) attempt("block", [&] { prepared.block(capture_stream()); });
    if (attempt("capture_end", [&] { graph.capture_end(); })) {
      graph.replay();
      expect_equal(y, 12);
    }
  }
  check_recovery();
}

MISUSE(capture, default_stream_waits_for_captured_work,
       .title = "Making the default stream wait for captured work is refused; a stream from the pool may, "
                "and becomes part of the capture",
       .claims = {"cap.fork-join", "nv.stream.legacy-waits-captured"}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(2), y, z;
  c10::cuda::CUDAEvent forked, joined;
  const auto other = wrong ? c10::cuda::getDefaultCUDAStream() : c10::cuda::getStreamFromPool(false);
  at::cuda::CUDAGraph graph;
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  c10::cuda::device_synchronize();
  graph.capture_begin();
  y = x * 3;
  forked.record();
  // don't: the default stream never captures, so it cannot wait for what is only recorded
  if (attempt("block", [&] { forked.block(other); })) {
    const c10::cuda::CUDAStreamGuard on_other(other);
    z = y + 1;
    joined.record(other);
    joined.block(capture_stream());
  }
  if (!attempt("capture_end", [&] { graph.capture_end(); })) return;

  graph.replay();
  expect_equal(z, 7);
}
