#include "case.h"
#include "support/capture.h"

// A GPU tensor of `mebibytes` that is not initialised.
static Tensor scratch(std::int64_t mebibytes) {
  return at::empty({mebibytes << 18}, at::device(at::kCUDA).dtype(at::kFloat));
}

static Graph capture_scratch(c10::MempoolId_t pool, const c10::cuda::CUDAStream& stream,
                             std::int64_t mebibytes) {
  auto graph = std::make_unique<at::cuda::CUDAGraph>();
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard capturing(stream);
  graph->capture_begin(pool);
  scratch(mebibytes).zero_();
  graph->capture_end();
  return graph;
}

MISUSE(shared_pool, captured_on_different_streams,
       .title = "Graphs share the blocks of a pool only if captured on one stream: on two they need twice "
                "the memory",
       .claims = {"gmem.share.same-stream"},
       .links = {"https://github.com/pytorch/pytorch/pull/97419"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1);
  capture([&] { x * 1; });  // what the first capture of a process allocates is not counted
  const auto pool = at::cuda::graph_pool_handle();
  const auto before = reserved_bytes();
  const Graph one = capture_scratch(pool, capture_stream(), 64);
  // don't: blocks are kept apart by stream, also inside a pool
  const auto stream = wrong ? c10::cuda::getStreamFromPool(false) : capture_stream();
  const Graph two = capture_scratch(pool, stream, 64);
  fact("reserved_MiB", (reserved_bytes() - before) >> 20);
}

MISUSE(shared_pool, smallest_shape_captured_first,
       .title = "Capturing the largest shape first lets smaller ones use its memory; the other way round "
                "it adds up",
       .claims = {"gmem.share.saves-memory"},
       .links = {"https://github.com/vllm-project/vllm/pull/5074"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1);
  capture([&] { x * 1; });
  const auto pool = at::cuda::graph_pool_handle();
  std::vector<std::int64_t> sizes{128, 64, 32};
  if (wrong) std::reverse(sizes.begin(), sizes.end());  // don't: no free block is ever large enough
  std::vector<Graph> graphs;
  const auto before = reserved_bytes();
  for (const auto mebibytes : sizes) graphs.push_back(capture_scratch(pool, capture_stream(), mebibytes));
  fact("reserved_MiB", (reserved_bytes() - before) >> 20);
}
