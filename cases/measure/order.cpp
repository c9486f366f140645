// The one deliberate failure of the study.
#include "measure/rows.h"

MEASURE(measure, order_broken,
        .title = "Two graphs of one pool, the first replayed once more after the second: the result is "
                 "silently another",
        .claims = {"gmem.share.order-violated", "gmem.share.capture-order-safe"}, .needs = {.caching = true}) {
  const c10::cuda::CUDAStreamGuard on_its_stream(capture_stream());
  HotPath path({.sections = 2, .floats = 1024, .warmed = false});
  Outcome outcome = capture_path(kSharedPoolHandle, path);
  require(outcome.captured == true, "the path is captured");
  require(replays_like_eager(path), "in capture order the result is right");

  const Tensor right = path.output.clone();
  path.graphs.front()->replay();  // don't: its temporaries have the memory of the second graph's output
  outcome.order_kept = false;
  outcome.values_equal = at::equal(path.output, right);
  outcome.note = "don't do this: see shared_pool.early_graph_replayed_again";
  boundary_row("order", kSharedPoolHandle, path, outcome);
}
