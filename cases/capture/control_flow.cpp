#include <torch/nn/utils/clip_grad.h>

#include "case.h"
#include "support/capture.h"

MISUSE(capture, branch_on_a_gpu_value,
       .title = "An if on a value of the GPU makes the host read it, which loses the capture; where() "
                "decides on the GPU",
       .claims = {"cap.control-flow.gpu-read", "cap.sync.item"}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(2), y;
  at::cuda::CUDAGraph graph;
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  c10::cuda::device_synchronize();
  graph.capture_begin();
  const Tensor positive = x.sum() > 0;
  attempt("branch", [&] {
    if (wrong) {
      y = at::is_nonzero(positive) ? x * 3 : x * 5;  // don't: it is item() in disguise
    } else {
      y = at::where(positive, x * 3, x * 5);
    }
  });
  if (!attempt("capture_end", [&] { graph.capture_end(); })) return;
  graph.replay();
  expect_equal(y, 6);
  x.fill_(-2);
  graph.replay();
  expect_equal(y, -10);
}

MISUSE(capture, gradients_clipped_inside,
       .title = "libtorch's clip_grad_norm_() returns a double, so it waits for the GPU and loses the "
                "capture; clamp() clips on the GPU",
       .claims = {"cap.sync.item", "nv.capture.sync.clip-grad-cpp"},
       .links = {"https://docs.nvidia.com/dl-cuda-graph/torch-cuda-graph/handling-dynamic-patterns.html"},
       .isolation = Isolation::right_shared) {
  Tensor w = gpu_tensor(1).requires_grad_();
  w.mutable_grad() = gpu_tensor(2);  // 1024 elements: the norm is 64
  at::cuda::CUDAGraph graph;
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  c10::cuda::device_synchronize();
  graph.capture_begin();
  if (wrong) {
    attempt("clip_grad_norm_", [&] { torch::nn::utils::clip_grad_norm_(w, 32); });  // don't: Python's is fine
  } else {
    w.grad().mul_((32 / w.grad().norm()).clamp_max(1));
  }
  if (!attempt("capture_end", [&] { graph.capture_end(); })) return;
  graph.replay();
  expect_equal(w.grad(), 1);
}

OBSERVE(capture, multinomial_inside,
        .title = "multinomial(), listed as incompatible with graphs, inside a capture: with replacement and "
                 "without",
        .claims = {"cap.incompatible-ops"}, .isolation = Isolation::shared) {
  Tensor weights = gpu_tensor(0);
  weights[5] = 1;
  at::multinomial(weights, 1);
  for (const bool replacement : {false, true}) {
    at::cuda::CUDAGraph graph;
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    Tensor drawn;
    graph.capture_begin();
    attempt(replacement ? "with replacement" : "without",
            [&] { drawn = at::multinomial(weights, 1, replacement); });
    if (!attempt("capture_end", [&] { graph.capture_end(); })) continue;
    graph.replay();
    expect_equal(drawn, 5);
  }
}
