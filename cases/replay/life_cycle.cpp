#include "case.h"
#include "support/capture.h"

MISUSE(replay, after_reset,
       .title = "replay() after reset() is refused; the same object may capture again and replay then",
       .claims = {"rep.after-reset", "cap.reset.recapture"},
       .links = {"https://github.com/pytorch/pytorch/pull/108896"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y;
  at::cuda::CUDAGraph graph;
  const auto record = [&](double factor) {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    graph.capture_begin();
    y = x * factor;
    graph.capture_end();
  };
  record(3);
  graph.reset();
  if (!wrong) record(5);  // don't leave this out: reset() deletes the graph
  const bool replayed = attempt("replay", [&] { graph.replay(); });
  if (!replayed) {
    record(5);
    graph.replay();
  }
  expect_equal(y, 10);
}

MISUSE(replay, before_any_capture,
       .title = "replay() of an object that has captured nothing is refused",
       .claims = {"rep.before-capture"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2);
  const Graph graph = wrong ? std::make_unique<at::cuda::CUDAGraph>()  // don't: there is nothing to replay
                            : capture([&] { x.add_(1); });
  const bool replayed = attempt("replay", [&] { replay(graph); });
  expect_equal(x, replayed ? 3 : 2);
}

MISUSE(replay, inside_its_own_capture,
       .title = "replay() before the graph's own capture_end is refused; the capture goes on unharmed",
       .claims = {"rep.before-capture", "cap.end.enables-replay"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y;
  at::cuda::CUDAGraph graph;
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    graph.capture_begin();
    y = x * 3;
    if (wrong) attempt("replay", [&] { graph.replay(); });  // don't: the graph exists from capture_end() on
    graph.capture_end();
  }
  graph.replay();
  expect_equal(y, 6);
}
