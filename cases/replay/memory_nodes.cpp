#include <c10/cuda/CUDAException.h>

#include "case.h"
#include "support/capture.h"

MISUSE(replay, allocation_of_the_graph_not_freed,
       .title = "A graph that allocates memory and leaves it cannot be launched again until that is freed; "
                "PyTorch instantiates so that a launch frees it",
       .claims = {"rep.repeatable"},
       .links = {"https://docs.nvidia.com/cuda/cuda-programming-guide/"}, .isolation = Isolation::shared) {
  gpu_tensor(1);
  const auto stream = c10::cuda::getStreamFromPool(false);
  void* memory = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  c10::cuda::device_synchronize();
  C10_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  C10_CUDA_CHECK(cudaMallocAsync(&memory, 1024, stream));
  C10_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  // don't leave the flag out: each launch allocates anew
  C10_CUDA_CHECK(
      cudaGraphInstantiate(&executable, graph, wrong ? 0 : cudaGraphInstantiateFlagAutoFreeOnLaunch));
  C10_CUDA_CHECK(cudaGraphLaunch(executable, stream));
  attempt("second launch", [&] { C10_CUDA_CHECK(cudaGraphLaunch(executable, stream)); });
  stream.synchronize();
  C10_CUDA_CHECK(cudaFreeAsync(memory, stream));
  stream.synchronize();
  attempt("after it was freed", [&] { C10_CUDA_CHECK(cudaGraphLaunch(executable, stream)); });
  C10_CUDA_CHECK(cudaGraphExecDestroy(executable));
  C10_CUDA_CHECK(cudaGraphDestroy(graph));
}

CASE(replay, launched_on_two_streams_at_once,
     .title = "A graph never overlaps itself: launched on two streams at once, each launch sees what the "
              "other has done",
     .claims = {"rep.any-stream"},
     .links = {"https://docs.nvidia.com/cuda/cuda-programming-guide/"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(0);
  const Graph graph = capture([&] {
    for (int i = 0; i < 20; ++i) x.add_(1);
  });
  const auto one = c10::cuda::getStreamFromPool(false), two = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  for (int turn = 0; turn < 25; ++turn)
    for (const auto& stream : {one, two}) {
      const c10::cuda::CUDAStreamGuard on(stream);
      replay(graph);
    }
  c10::cuda::device_synchronize();
  expect_equal(x, 1000);
}
