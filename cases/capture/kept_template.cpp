#include <c10/cuda/CUDAException.h>
#include <unistd.h>

#include <filesystem>

#include "case.h"
#include "support/capture.h"
#include "support/torch_compat.h"

// A file for this process alone.
static std::filesystem::path dump_file() {
  return std::filesystem::temp_directory_path() / ("cudasem-" + std::to_string(::getpid()) + ".dot");
}

MISUSE(capture, debug_dump_without_debug_mode,
       .title = "debug_dump() warns without debug mode (up to 2.13); with it neither a warning nor a file was seen",
       .claims = {"cap.debug_dump"},
       .needs = {.features = {"debug_dump"}}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  Tensor y;
  at::cuda::CUDAGraph graph;
  if (!wrong) graph.enable_debug_mode();  // don't leave this out: the template would be gone
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    graph.capture_begin();
    y = x * 3;
    graph.capture_end();
  }
  attempt("debug_dump", [&] { debug_dump(graph, dump_file().string()); });
  fact("file", std::filesystem::exists(dump_file()) ? "written" : "none");
  std::filesystem::remove(dump_file());
}

CASE(capture, kept_graph_is_dumped_by_cuda,
     .title = "A kept graph can be written to a file with CUDA's own call, and replays all the same",
     .claims = {"cap.debug_dump", "cap.keep_graph.true"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  Tensor y;
  at::cuda::CUDAGraph graph(/*keep_graph=*/true);
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    graph.capture_begin();
    y = x * 3;
    graph.capture_end();
  }
  C10_CUDA_CHECK(cudaGraphDebugDotPrint(graph.raw_cuda_graph(), dump_file().c_str(), 0));
  EXPECT_GT(std::filesystem::file_size(dump_file()), 0U);
  std::filesystem::remove(dump_file());
  graph.instantiate();
  graph.replay();
  expect_equal(y, 6);
}

MISUSE(capture, end_in_two_steps,
       .title = "capture_end() can be split to look at the graph in between; without instantiate() there, "
                "nothing is left to replay",
       .claims = {"cap.split-end"},
       .needs = {.features = {"split_capture_end"}}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  Tensor y;
  at::cuda::CUDAGraph graph;
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    graph.capture_begin();
    y = x * 3 + 1;
    capture_end_pre(graph);
    std::size_t nodes = 0;
    C10_CUDA_CHECK(cudaGraphGetNodes(graph.raw_cuda_graph(), nullptr, &nodes));
    EXPECT_EQ(nodes, 2U);
    if (!wrong) graph.instantiate();  // don't leave this out: capture_end_post() does not do it
    capture_end_post(graph);
  }
  if (attempt("replay", [&] { graph.replay(); })) expect_equal(y, 7);
}
