#include <c10/cuda/CUDACachingAllocator.h>

#include "case.h"
#include "support/accounting.h"
#include "support/capture.h"

MISUSE(shared_pool, handle_used_again_after_a_lost_capture,
       .title = "After a capture into a pool was lost, 2.11 refuses the next one into it: it still counts "
                "as recording; later releases capture",
       .claims = {"gmem.failed-capture.pool-freed"},
       .links = {"https://github.com/pytorch/pytorch/pull/180395"}, .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  const Tensor x = gpu_tensor(2);
  Tensor y;
  at::cuda::CUDAGraph lost;  // lives on: a pool ends with its only graph
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    lost.capture_begin(pool);
    y = x * 3;
    if (wrong) attempt("synchronize", [&] { capture_stream().synchronize(); });  // don't: loses the capture
    attempt("capture_end", [&] { lost.capture_end(); });
    y.reset();
  }
  attempt("next capture into the pool", [&] {
    const Graph graph = capture(pool, [&] { y = x * 5; });
    replay(graph);
    expect_equal(y, 10);
  });
  y.reset();
}

OBSERVE(shared_pool, block_recorded_on_a_forked_stream,
        .title = "A block that record_stream marked in a capture is not reused in it; whether the next "
                 "capture into the pool gets it",
        .claims = {"gmem.freed-intermediate.reused"},
        .links = {"https://github.com/pytorch/pytorch/blob/main/test/test_cuda.py"},
        .needs = {.caching = true}, .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  const Tensor x = gpu_tensor(2);
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent forked, joined;
  const void* block = nullptr;
  Tensor on_side, later, next;
  const Graph one = capture(pool, [&] {
    Tensor marked = x * 3;
    block = marked.data_ptr();
    forked.record();
    forked.block(side);
    {
      const c10::cuda::CUDAStreamGuard on(side);
      on_side = marked + 1;
      joined.record();
    }
    c10::cuda::CUDACachingAllocator::recordStream(marked.storage().data_ptr(), side);
    marked.reset();
    joined.block(capture_stream());
    later = x * 5;
  });
  const auto reused = [&](const Tensor& tensor) { return tensor.data_ptr() == block ? "yes" : "no"; };
  fact("reused_in_its_capture", reused(later));
  const Graph two = capture(pool, [&] { next = x * 7; });
  fact("reused_in_the_next_capture", reused(next));
  replay(one, two);
  expect_equal(on_side, 7);
  expect_equal(later, 10);
  expect_equal(next, 14);
}
