#include "case.h"
#include "support/capture.h"

MISUSE(capture, captured_into_twice,
       .title = "capture_begin on an object that holds a graph is refused, and the graph stays; after "
                "reset() it works",
       .claims = {"cap.begin.twice", "cap.reset.recapture"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y, z;
  at::cuda::CUDAGraph graph;
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  c10::cuda::device_synchronize();
  graph.capture_begin();
  y = x * 3;
  graph.capture_end();

  if (!wrong) graph.reset();
  // don't without reset(): an object holds one graph
  const bool begun = attempt("second capture_begin", [&] { graph.capture_begin(); });
  if (begun) {
    z = x * 5;
    graph.capture_end();
  }
  graph.replay();
  expect_equal(begun ? z : y, begun ? 10 : 6);
}

MISUSE(capture, end_without_begin,
       .title = "capture_end without capture_begin is refused; from 2.13 on the next operation fails with it",
       .claims = {"cap.end.without-begin"}, .isolation = Isolation::shared) {
  gpu_tensor(1);  // starts the caching allocator
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    at::cuda::CUDAGraph graph;
    c10::cuda::device_synchronize();
    if (!wrong) graph.capture_begin();  // don't leave this out
    attempt("capture_end", [&] { graph.capture_end(); });
  }
  check_recovery();
}

MISUSE(capture, destroyed_before_its_end,
       .title = "A graph destroyed in its capture leaves the stream capturing: what follows is refused until "
                "cudaStreamEndCapture",
       .claims = {"cap.single-capture"},
       .links = {"https://github.com/pytorch/pytorch/pull/190308"}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(2), y;
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  c10::cuda::device_synchronize();
  auto graph = std::make_unique<at::cuda::CUDAGraph>();
  graph->capture_begin();
  y = x * 3;
  if (!wrong) graph->capture_end();  // don't leave this out, not even when an exception passes
  mark("graph destroyed");
  graph.reset();

  attempt("new capture", [&] { capture([&] { y = x * 5; }); });
  attempt("next operation", [&] { y = x * 7; });
  if (wrong) {
    cudaGraph_t abandoned = nullptr;
    (void)cudaStreamEndCapture(capture_stream(), &abandoned);  // the only way out: frees the stream
    (void)cudaGetLastError();
  }
  check_recovery();
}

MISUSE(capture, first_thing_in_the_process,
       .title = "A capture before the process has allocated on the GPU works in 2.11 and is refused from "
                "2.13 on",
       .claims = {"cap.warmup.side-stream"}, .isolation = Isolation::right_shared) {
  if (!wrong) gpu_tensor(1);  // don't leave this out: it starts the caching allocator
  Tensor y;
  at::cuda::CUDAGraph graph;
  bool begun = false;
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    begun = attempt("capture_begin", [&] { graph.capture_begin(); });
    if (begun) {
      y = gpu_tensor(3);
      graph.capture_end();
    }
  }
  if (begun) {
    fill_canary(y);
    graph.replay();
    expect_equal(y, 3);
  }
}
