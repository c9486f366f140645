#include "case.h"
#include "support/capture.h"

MISUSE(shared_pool, early_graph_replayed_again,
       .title = "Replaying an earlier graph of a shared pool again overwrites a later graph's output, "
                "without an error",
       .claims = {"gmem.share.order-violated", "gmem.share.capture-order-safe"},
       .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor x = gpu_tensor(1), first, second;
  const Graph early =
      capture(pool, [&] { first = x * 2 + 0; });  // x * 2 is a temporary: its block is free again …
  const Graph late = capture(pool, [&] { second = first * 10; });  // … and becomes the block of `second`

  replay(early, late);
  require_equal(second, 20);
  if (wrong) replay(early);  // don't: its temporary, 2, lives where `second` does
  expect_intact(second, 20);
}
