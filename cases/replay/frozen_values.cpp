#include "case.h"
#include "support/capture.h"

MISUSE(replay, host_scalar_changed,
       .title = "A host number is a constant of the graph: to change it between replays it must be a "
                "tensor on the GPU",
       .claims = {"cap.cpu-work-elided", "cap.same-addresses"}, .isolation = Isolation::shared) {
  double factor = 3;
  Tensor factor_on_gpu = at::full({}, factor, at::kCUDA);
  Tensor x = gpu_tensor(2), y;
  const Graph graph =
      capture([&] { y = wrong ? x * factor : x * factor_on_gpu; });  // don't: `factor` is copied
  replay(graph);
  require_equal(y, 6);

  factor = 5;
  factor_on_gpu.fill_(factor);
  replay(graph);
  expect_intact(y, 10);
}

CASE(replay, host_code_runs_at_capture_only,
     .title = "Host code in a capture runs once, at capture; a host function enqueued on the stream at "
              "every replay",
     .claims = {"cap.cpu-work-elided"},
     .links = {"https://docs.nvidia.com/cuda/cuda-programming-guide/"}, .isolation = Isolation::shared) {
  int calls = 0, calls_from_the_stream = 0;
  Tensor x = gpu_tensor(0);
  const Graph graph = capture([&] {
    x.add_(1);
    ++calls;
    C10_CUDA_CHECK(cudaLaunchHostFunc(
        capture_stream(), [](void* count) { ++*static_cast<int*>(count); }, &calls_from_the_stream));
  });
  replay(graph, graph, graph);
  expect_equal(x, 3);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(calls_from_the_stream, 3);
}
