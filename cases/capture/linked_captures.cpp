#include <c10/cuda/CUDAException.h>

#include "case.h"
#include "support/capture.h"
#include "support/threads.h"

MISUSE(capture, second_capture_waits_for_the_first,
       .title = "A stream with a capture of its own that waits for another capture is refused, and both are "
                "lost; without its own it joins the other",
       .claims = {"cap.fork.propagates", "nv.stream.merge"},
       .links = {"https://docs.nvidia.com/cuda/cuda-programming-guide/"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y = gpu_tensor(3);
  const auto one = c10::cuda::getStreamFromPool(false), two = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent forked, joined;
  cudaGraph_t graph = nullptr, other = nullptr;
  c10::cuda::device_synchronize();

  const c10::cuda::CUDAStreamGuard on_one(one);
  C10_CUDA_CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  if (wrong) C10_CUDA_CHECK(cudaStreamBeginCapture(two, cudaStreamCaptureModeGlobal));  // don't: it will fork
  x.fill_(4);
  forked.record(one);
  if (attempt("block", [&] { forked.block(two); })) {
    const c10::cuda::CUDAStreamGuard on_two(two);
    y.fill_(5);
    joined.record(two);
    joined.block(one);
  }
  if (wrong) attempt("end of the second", [&] { C10_CUDA_CHECK(cudaStreamEndCapture(two, &other)); });
  if (!attempt("end of the first", [&] { C10_CUDA_CHECK(cudaStreamEndCapture(one, &graph)); })) return;

  std::size_t nodes = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 2U);
  C10_CUDA_CHECK(cudaGraphDestroy(graph));
}

MISUSE(capture, ended_on_a_forked_stream,
       .title = "CUDA ends a capture only on the stream that began it: on a forked stream that is refused, "
                "and the capture is lost",
       .claims = {"nv.stream.unmatched"},
       .links = {"https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html"}) {
  Tensor x = gpu_tensor(2);
  const auto origin = c10::cuda::getStreamFromPool(false), fork = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent forked, joined;
  cudaGraph_t graph = nullptr;
  c10::cuda::device_synchronize();

  C10_CUDA_CHECK(cudaStreamBeginCapture(origin, cudaStreamCaptureModeGlobal));
  forked.record(origin);
  forked.block(fork);
  {
    const c10::cuda::CUDAStreamGuard on_fork(fork);
    x.fill_(4);
  }
  joined.record(fork);
  joined.block(origin);
  const auto last =
      wrong ? fork : origin;  // don't: PyTorch's capture_end() checks this first, CUDA is strict
  attempt("cudaStreamEndCapture", [&] { C10_CUDA_CHECK(cudaStreamEndCapture(last, &graph)); });
  if (wrong) attempt("on the right stream", [&] { C10_CUDA_CHECK(cudaStreamEndCapture(origin, &graph)); });
  fact("graph", graph == nullptr ? "none" : "whole");
  check_recovery();
}

MISUSE(capture, ended_on_another_thread,
       .title = "A capture must end on the thread that began it, or the end is refused; only a relaxed one "
                "may end on another",
       .claims = {"nv.mode.end-other-thread"},
       .links = {"https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html"},
       .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y;
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    // don't: global and thread-local captures belong to their thread
    graph.capture_begin({0, 0}, wrong ? cudaStreamCaptureModeGlobal : cudaStreamCaptureModeRelaxed);
    y = x * 3;
  }
  const bool ended = attempt("capture_end", [&] {
    on_new_thread([&] {
      const c10::cuda::CUDAStreamGuard capturing(capture_stream());
      graph.capture_end();
    });
  });
  if (ended) {
    graph.replay();
    expect_equal(y, 6);
  } else {
    cudaGraph_t abandoned = nullptr;
    attempt("on the right thread",
            [&] { C10_CUDA_CHECK(cudaStreamEndCapture(capture_stream(), &abandoned)); });
    graph.reset();
  }
  check_recovery();
}
