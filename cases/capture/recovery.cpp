#include "case.h"
#include "support/capture.h"

MISUSE(capture, failed_capture_then_reset,
       .title = "A synchronisation loses the capture; after reset() all works again, but 2.11 and 2.13 keep "
                "the lost capture's memory",
       .claims = {"gmem.failed-capture.pool-freed", "nv.life.failed-end-allocator"},
       .links = {"https://github.com/pytorch/pytorch/pull/190348"}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(2);
  // While any graph lives, 2.11 keeps memory for the random number generator: not what is counted here.
  const Graph other = capture([&] { x * 1; });
  at::cuda::CUDAGraph graph;
  empty_cache();
  const auto before = reserved_bytes();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    Tensor y = x * 3;
    if (wrong) attempt("synchronize", [&] { capture_stream().synchronize(); });  // don't: loses the capture
    attempt("capture_end", [&] { graph.capture_end(); });
  }
  graph.reset();
  empty_cache();
  fact("reserved_MiB_left", (reserved_bytes() - before) >> 20);

  check_recovery();
}
