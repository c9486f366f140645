#include "case.h"
#include "support/capture.h"

MISUSE(replay, kept_graph_before_instantiate,
       .title = "replay() of a keep_graph graph without instantiate() works up to 2.13 and is refused from "
                "2.14 on",
       .claims = {"rep.auto-instantiate.cpp", "cap.keep_graph.true"},
       .links = {"https://github.com/pytorch/pytorch/pull/187740"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y;
  at::cuda::CUDAGraph graph(/*keep_graph=*/true);
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    graph.capture_begin();
    y = x * 3;
    graph.capture_end();
  }
  fill_canary(y);
  if (!wrong) graph.instantiate();  // capture_end() leaves that to the caller when the graph is kept
  const bool replayed = attempt("replay", [&] { graph.replay(); });
  if (replayed) expect_equal(y, 6);
}
