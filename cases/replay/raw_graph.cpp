#include "case.h"
#include "support/capture.h"

// Captures y = x * 3 into `graph`, which may be a kept one.
static Tensor capture_tripled(at::cuda::CUDAGraph& graph, const Tensor& x) {
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  c10::cuda::device_synchronize();
  graph.capture_begin();
  Tensor y = x * 3;
  graph.capture_end();
  return y;
}

MISUSE(replay, instantiate_of_a_graph_that_is_not_kept,
       .title = "instantiate() is refused for a graph that was not made with keep_graph: capture_end has "
                "done it",
       .claims = {"cap.instantiate.keep-false"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  at::cuda::CUDAGraph graph(/*keep_graph=*/!wrong);  // don't call instantiate() without it
  const Tensor y = capture_tripled(graph, x);
  attempt("instantiate", [&] { graph.instantiate(); });
  graph.replay();
  expect_equal(y, 6);
}

MISUSE(replay, instantiate_before_capture_end,
       .title = "instantiate() before capture_end is refused; the capture goes on unharmed",
       .claims = {"cap.instantiate.before-end"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y;
  at::cuda::CUDAGraph graph(/*keep_graph=*/true);
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    graph.capture_begin();
    y = x * 3;
    if (wrong) attempt("instantiate", [&] { graph.instantiate(); });  // don't: nothing is finished yet
    graph.capture_end();
    graph.instantiate();
  }
  graph.replay();
  expect_equal(y, 6);
}

MISUSE(replay, raw_graph_that_is_not_kept,
       .title = "raw_cuda_graph() is refused for a graph made without keep_graph; with it its nodes can "
                "be listed",
       .claims = {"cap.keep_graph.false", "cap.keep_graph.true"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  at::cuda::CUDAGraph graph(/*keep_graph=*/!wrong);  // don't: the template is destroyed by capture_end()
  const Tensor y = capture_tripled(graph, x);
  attempt("raw_cuda_graph", [&] {
    std::size_t nodes = 0;
    C10_CUDA_CHECK(cudaGraphGetNodes(graph.raw_cuda_graph(), nullptr, &nodes));
    fact("nodes", static_cast<std::int64_t>(nodes));
  });
}

MISUSE(replay, raw_executable_before_instantiate,
       .title = "raw_cuda_graph_exec() of a kept graph is refused until instantiate(); then CUDA itself "
                "can launch it",
       .claims = {"cap.keep_graph.true"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  at::cuda::CUDAGraph graph(/*keep_graph=*/true);
  Tensor y = capture_tripled(graph, x);
  fill_canary(y);
  if (!wrong) graph.instantiate();  // don't leave this out: capture_end() does not do it for a kept graph
  const bool launched = attempt("raw_cuda_graph_exec", [&] {
    C10_CUDA_CHECK(cudaGraphLaunch(graph.raw_cuda_graph_exec(), c10::cuda::getCurrentCUDAStream()));
  });
  if (launched) expect_equal(y, 6);
}

CASE(replay, changed_template_needs_another_instantiate,
     .title = "A node added to the raw graph runs only after another instantiate()",
     .claims = {"cap.keep_graph.modify"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  Tensor flag = gpu_tensor(1);
  at::cuda::CUDAGraph graph(/*keep_graph=*/true);
  const Tensor y = capture_tripled(graph, x);
  graph.instantiate();

  cudaMemsetParams zero{};
  zero.dst = flag.data_ptr();
  zero.elementSize = 4;
  zero.width = static_cast<std::size_t>(flag.numel());
  zero.height = 1;
  cudaGraphNode_t node = nullptr;
  C10_CUDA_CHECK(cudaGraphAddMemsetNode(&node, graph.raw_cuda_graph(), nullptr, 0, &zero));
  graph.replay();
  expect_equal(flag, 1);
  graph.instantiate();
  graph.replay();
  expect_equal(flag, 0);
  expect_equal(y, 6);
}
