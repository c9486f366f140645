#include "case.h"
#include "support/capture.h"
#include "support/torch_compat.h"

CASE(capture, if_node_follows_its_predicate,
     .title = "The body of an if-node runs at a replay if, and only if, its predicate on the GPU is true "
              "then",
     .claims = {"cap.control-flow.cond"},
     .needs = {.features = {"if_nodes"}}, .isolation = Isolation::shared) {
  Tensor run = at::zeros({}, at::device(at::kCUDA).dtype(at::kBool));
  Tensor y = gpu_tensor(1);
  y.mul_(1);
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    y.add_(1);
    capture_if(graph, run, [&] { y.mul_(10); });
    graph.capture_end();
  }
  graph.replay();
  expect_equal(y, 2);
  run.fill_(true);
  graph.replay();
  expect_equal(y, 30);
  run.fill_(false);
  graph.replay();
  expect_equal(y, 31);
}

OBSERVE(capture, while_node_counts_on_the_gpu,
        .title = "The body of a while-node runs until it sets its own predicate to false, without the host",
        .claims = {"cap.control-flow.cond"},
        .needs = {.features = {"while_nodes"}}, .isolation = Isolation::shared) {
  Tensor go = at::ones({}, at::device(at::kCUDA).dtype(at::kBool));
  Tensor count = gpu_tensor(0);
  Tensor first = count[0];
  at::lt_out(go, first.add_(0), 5);
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    capture_while(graph, go, [&] {
      count.add_(1);
      at::lt_out(go, first, 5);
    });
    graph.capture_end();
  }
  count.fill_(2);
  graph.replay();
  expect_equal(count, 5);
}
