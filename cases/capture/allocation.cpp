#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>

#include "case.h"
#include "support/accounting.h"
#include "support/capture.h"
#include "support/memory.h"

namespace caching = c10::cuda::CUDACachingAllocator;

MISUSE(capture, out_of_memory_inside,
       .title = "A capture that asks for more memory than allowed gets an OutOfMemoryError, and goes on",
       .claims = {"cap.oom"},
       .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  Tensor y, scratch;
  const auto device = c10::cuda::current_device();
  const auto allowed = static_cast<std::int64_t>(caching::get()->getMemoryInfo(device).second / 100);
  caching::setMemoryFraction(0.01, device);
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    y = x * 3;
    // don't: what a graph needs in all must fit
    attempt("allocation", [&] { scratch = gpu_bytes(wrong ? 2 * allowed : allowed / 4); });
    if (attempt("capture_end", [&] { graph.capture_end(); })) {
      graph.replay();
      expect_equal(y, 6);
    }
  }
  scratch.reset();
  caching::setMemoryFraction(1, device);
  check_recovery();
}

OBSERVE(capture, out_of_memory_beside_cached_blocks,
        .title = "An allocation in a capture that would fit if the cache were given up: whether it is, and "
                 "whether the capture survives",
        .claims = {"cap.oom"},
        .links = {"https://github.com/pytorch/pytorch/issues/159594",
                  "https://github.com/pytorch/pytorch/pull/187795"},
        .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  Tensor y, scratch;
  const auto device = c10::cuda::current_device();
  const auto most = static_cast<std::int64_t>(caching::get()->getMemoryInfo(device).second / 100 / 4 * 3);
  caching::setMemoryFraction(0.01, device);
  gpu_bytes(most);  // freed at once, and cached
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    y = x * 3;
    attempt("allocation", [&] { scratch = gpu_bytes(most); });
    if (attempt("capture_end", [&] { graph.capture_end(); })) {
      graph.replay();
      expect_equal(y, 6);
    }
  }
  scratch.reset();
  graph.reset();
  caching::setMemoryFraction(1, device);
  empty_cache();
  check_recovery();
}

CASE(capture, empty_cache_inside,
     .title = "emptyCache() inside a capture gives nothing back and does no harm; after the capture it "
              "works",
     .claims = {"mem.empty-cache-noop"},
     .links = {"https://github.com/pytorch/pytorch/pull/158152"},
     .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  gpu_bytes(64 * kMiB);  // freed at once, and cached
  const auto cached = reserved_bytes();
  Tensor y;
  const Graph graph = capture([&] {
    caching::emptyCache();
    EXPECT_GE(reserved_bytes(), cached);
    y = x * 3;
  });
  caching::emptyCache();
  EXPECT_LE(reserved_bytes(), cached - 56 * kMiB);
  replay(graph);
  expect_equal(y, 6);
}

MISUSE(capture, allocation_on_a_stream_that_is_not_forked,
       .title = "A fresh allocation on a stream outside the capture is refused and loses it; on a forked "
                "stream it goes through",
       .claims = {"cap.fork.not-branched", "nv.stream.inlet-missing"},
       .links = {"https://github.com/pytorch/pytorch/blob/main/c10/cuda/CUDACachingAllocator.cpp"},
       .needs = {.caching = true}, .isolation = Isolation::right_shared) {
  const Tensor x = gpu_tensor(2);
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent forked, joined;
  at::cuda::CUDAGraph graph;
  Tensor y, scratch;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    y = x * 3;
    forked.record(capture_stream());
    if (!wrong) forked.block(side);  // don't leave this out: the allocator looks at the current stream only
    const c10::cuda::CUDAStreamGuard on_side(side);
    attempt("allocation", [&] { scratch = gpu_bytes(64 * kMiB); });
    if (!wrong) {
      joined.record(side);
      joined.block(capture_stream());
    }
    const c10::cuda::CUDAStreamGuard back(capture_stream());
    if (attempt("capture_end", [&] { graph.capture_end(); })) {
      graph.replay();
      expect_equal(y, 6);
    }
  }
  check_recovery();
}

MISUSE(capture, freed_memory_of_before,
       .title = "cudaFreeAsync in a capture takes only memory that the same capture allocated; other memory "
                "is an invalid value",
       .claims = {"nv.mem.free-async-foreign"}, .isolation = Isolation::shared) {
  gpu_tensor(1);
  const auto stream = c10::cuda::getStreamFromPool(false);
  void* memory = nullptr;
  cudaGraph_t graph = nullptr;
  if (wrong) C10_CUDA_CHECK(cudaMallocAsync(&memory, 1024, stream));  // don't: the graph does not own it
  c10::cuda::device_synchronize();
  C10_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  if (!wrong) C10_CUDA_CHECK(cudaMallocAsync(&memory, 1024, stream));
  attempt("cudaFreeAsync", [&] { C10_CUDA_CHECK(cudaFreeAsync(memory, stream)); });
  if (!attempt("cudaStreamEndCapture", [&] { C10_CUDA_CHECK(cudaStreamEndCapture(stream, &graph)); })) return;
  std::size_t nodes = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  fact("nodes", static_cast<std::int64_t>(nodes));
  C10_CUDA_CHECK(cudaGraphDestroy(graph));
}
