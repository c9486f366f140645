#include <c10/cuda/CUDACachingAllocator.h>

#include "case.h"
#include "support/accounting.h"
#include "support/capture.h"

namespace caching = c10::cuda::CUDACachingAllocator;

OBSERVE(capture, block_recorded_on_the_capturing_stream,
        .title = "A block of the default stream, recorded on the capturing stream and freed, and then an "
                 "allocation: whether the capture survives",
        .claims = {"cap.mode.thread_local"},
        .links = {"https://github.com/pytorch/pytorch/issues/193982",
                  "https://github.com/pytorch/pytorch/pull/193993"},
        .needs = {.caching = true}) {
  const Tensor x = gpu_tensor(2);
  Tensor y, used = gpu_tensor(1), next;
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    y = x * 3;
    {
      const c10::cuda::CUDAStreamGuard on_default(c10::cuda::getDefaultCUDAStream());
      attempt("record_stream", [&] { caching::recordStream(used.storage().data_ptr(), capture_stream()); });
      attempt("free", [&] { used.reset(); });
      attempt("allocation", [&] { next = at::empty({1024}, x.options()); });
    }
    if (attempt("capture_end", [&] { graph.capture_end(); })) {
      graph.replay();
      expect_equal(y, 6);
    }
  }
  graph.reset();
  check_recovery();
}

CASE(capture, forked_stream_allocates_from_the_pool,
     .title = "Memory that a forked stream allocates in a capture belongs to the graph's pool, and is not "
              "given to others",
     .claims = {"cap.fork-join", "gmem.private.default"},
     .links = {"https://github.com/pytorch/pytorch/blob/main/test/test_cuda.py"},
     .needs = {.caching = true}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), on_fork, y;
  const auto fork = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent forked, joined;
  const Graph graph = capture([&] {
    forked.record();
    forked.block(fork);
    {
      const c10::cuda::CUDAStreamGuard on(fork);
      on_fork = x * 3;
      joined.record();
    }
    joined.block(capture_stream());
    y = on_fork + 1;
  });
  EXPECT_EQ(segment_of(on_fork).owner_private_pool_id, graph->pool());
  for (const double value : {2., 5.}) {
    x.fill_(value);
    replay(graph);
    expect_equal(y, value * 3 + 1);
  }
}

CASE(capture, diamond_keeps_its_order,
     .title = "Two branches of a capture may run in any order, but never before what they wait for, nor "
              "after what waits for them",
     .claims = {"rep.dag-is-hint", "cap.fork-join"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(0), left, right, y;
  const auto fork = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent forked, joined;
  const Graph graph = capture([&] {
    x.add_(1);
    forked.record();
    forked.block(fork);
    {
      const c10::cuda::CUDAStreamGuard on(fork);
      right = x * 100;
      joined.record();
    }
    left = x * 10;
    joined.block(capture_stream());
    y = left + right;
  });
  for (int turn = 1; turn <= 50; ++turn) {
    replay(graph);
    if (turn % 10 == 0) expect_equal(y, turn * 110);
  }
}
