#include <c10/cuda/CUDAException.h>

#include <ATen/cuda/CUDAGraphsUtils.cuh>

#include "case.h"
#include "support/capture.h"
#include "support/threads.h"

MISUSE(capture, raw_allocation_inside,
       .title = "cudaMalloc in a capture is refused and loses it; in relaxed mode it is let through, and is "
                "no part of the graph",
       .claims = {"cap.mode.relaxed", "cap.mode.thread_local"}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(2), y;
  void* memory = nullptr;
  at::cuda::CUDAGraph graph(/*keep_graph=*/true);
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    // don't: thread-local mode frees the other threads, not one's own
    graph.capture_begin({0, 0}, wrong ? cudaStreamCaptureModeThreadLocal : cudaStreamCaptureModeRelaxed);
    y = x * 3;
    attempt("cudaMalloc", [&] { C10_CUDA_CHECK(cudaMalloc(&memory, 1024)); });
    if (!attempt("capture_end", [&] { graph.capture_end(); })) return;
  }
  std::size_t nodes = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(graph.raw_cuda_graph(), nullptr, &nodes));
  EXPECT_EQ(nodes, 1U);
  graph.instantiate();
  graph.replay();
  expect_equal(y, 6);
  C10_CUDA_CHECK(cudaFree(memory));
}

CASE(capture, default_mode_is_global,
     .title = "A capture begun without a mode refuses cudaMalloc to every thread, as the global mode does",
     .claims = {"cap.mode.default", "cap.mode.global"}) {
  gpu_tensor(1);  // starts the caching allocator
  at::cuda::CUDAGraph graph;
  cudaError_t status = cudaSuccess;
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    on_new_thread([&] {
      void* memory = nullptr;
      status = cudaMalloc(&memory, 1024);
      (void)cudaGetLastError();
    });
    EXPECT_THROW(graph.capture_end(), c10::AcceleratorError);
  }
  EXPECT_EQ(status, cudaErrorStreamCaptureUnsupported);
}

CASE(capture, status_without_a_context,
     .title = "Asking whether the current stream captures says no in a process without a CUDA context, and "
              "creates none",
     .claims = {"cap.is_capturing.no-context"}) {
  EXPECT_FALSE(c10::cuda::hasPrimaryContext(0));
  EXPECT_EQ(at::cuda::currentStreamCaptureStatus(), c10::cuda::CaptureStatus::None);
  EXPECT_FALSE(c10::cuda::hasPrimaryContext(0));
  gpu_tensor(1);
  EXPECT_TRUE(c10::cuda::hasPrimaryContext(0));
}

MISUSE(capture, event_queried_in_relaxed_mode,
       .title = "A relaxed capture may query an event from before it, but not one that was recorded inside",
       .claims = {"cap.mode.relaxed", "nv.capture.query.event-inside"},
       .links = {"https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html"},
       .isolation = Isolation::right_shared) {
  const Tensor x = gpu_tensor(2);
  Tensor y;
  c10::cuda::CUDAEvent before, inside;
  before.record();
  c10::cuda::device_synchronize();
  at::cuda::CUDAGraph graph;
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  graph.capture_begin({0, 0}, cudaStreamCaptureModeRelaxed);
  y = x * 3;
  inside.record();
  const auto& asked = wrong ? inside : before;  // don't: relaxed mode lifts what is unsafe, not this
  attempt("query", [&] { EXPECT_TRUE(asked.query()); });
  if (!attempt("capture_end", [&] { graph.capture_end(); })) return;
  graph.replay();
  expect_equal(y, 6);
}

MISUSE(capture, event_queried_on_another_thread,
       .title = "During a global-mode capture another thread may not even query an event of its own; in "
                "thread-local mode it may",
       .claims = {"cap.mode.global", "cap.mode.thread_local"},
       .links = {"https://github.com/pytorch/pytorch/pull/104487"}, .isolation = Isolation::right_shared) {
  const Tensor x = gpu_tensor(2);
  Tensor y;
  c10::cuda::CUDAEvent unrelated;
  unrelated.record();
  c10::cuda::device_synchronize();
  at::cuda::CUDAGraph graph;
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  // don't: watchdogs and pinned allocations query events in the background
  graph.capture_begin({0, 0}, wrong ? cudaStreamCaptureModeGlobal : cudaStreamCaptureModeThreadLocal);
  y = x * 3;
  attempt("query", [&] { on_new_thread([&] { EXPECT_TRUE(unrelated.query()); }); });
  attempt("next operation", [&] { y.add_(1); });
  if (!attempt("capture_end", [&] { graph.capture_end(); })) return;
  graph.replay();
  expect_equal(y, 7);
}
