#include "case.h"
#include "support/capture.h"
#include "support/gate.h"

MISUSE(replay, work_enqueued_before_the_capture,
       .title = "Work that was enqueued before a capture on the same stream is not waited for by a replay "
                "on another stream",
       .claims = {"rep.current-stream-order"},
       .links = {"https://docs.nvidia.com/cuda/cuda-programming-guide/"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y = x * 3;
  const auto other = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent written;
  at::cuda::CUDAGraph graph;
  at::mul_out(y, x, x);
  replay(capture([&] { at::mul_out(y, x, x); }));  // all that a first capture loads and allocates is there
  c10::cuda::device_synchronize();

  Gate gate;
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    gate.hold(capture_stream());
    x.fill_(4);
    written.record();
    graph.capture_begin();
    at::mul_out(y, x, x);
    graph.capture_end();
  }
  fill_canary(y);
  c10::cuda::CUDAEvent canary;
  canary.record();
  canary.block(other);
  if (!wrong) written.block(other);  // don't leave this out: the graph remembers nothing of its stream's past
  {
    const c10::cuda::CUDAStreamGuard on_other(other);
    graph.replay();
  }
  if (wrong) other.synchronize();  // the replay is done before x is written
  gate.open();
  c10::cuda::device_synchronize();
  expect_intact(y, 16);
}

CASE(replay, loss_scale_changed_between_replays,
     .title = "Forward, loss and scaled backward in a graph, the step outside: a new scale between replays "
              "is used, the weight is eager's",
     .claims = {"amp.capture-without-step"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1), scale = at::full({}, 8.F, at::kCUDA);
  const Tensor weight = gpu_tensor(1).requires_grad_(), eager = gpu_tensor(1).requires_grad_();
  const auto scaled_backward = [&](const Tensor& w) { ((w * x - 2).square().sum() * scale).backward(); };
  const auto step = [&](const Tensor& w) {
    const c10::NoGradGuard no_grad;
    w.sub_(w.grad() / scale * 0.125);
  };
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard on_capture_stream(capture_stream());
    scaled_backward(weight);
  }
  weight.mutable_grad().reset();
  const Graph graph = capture([&] { scaled_backward(weight); });
  for (const double value : {8., 4., 4., 16.}) {
    scale.fill_(value);
    replay(graph);
    step(weight);
    eager.mutable_grad().reset();
    scaled_backward(eager);
    step(eager);
    expect_equal(weight.detach(), eager.detach());
  }
}
