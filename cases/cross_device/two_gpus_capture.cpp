#include "case.h"
#include "support/capture.h"

MISUSE(cross_device, copy_from_another_gpu_inside_a_capture,
       .title = "A copy from another GPU inside a capture is refused where that GPU has eager work behind it; "
                "the capture is lost",
       .claims = {"cap.single-device"},
       .needs = {.gpus = 2}) {
  const Tensor remote = at::full({1024}, 2.0, at::Device(at::kCUDA, 1));  // eager work on the other GPU
  Tensor local = gpu_tensor(0), result = gpu_tensor(0);
  local.copy_(remote);  // the first copy turns peer access on
  at::cuda::CUDAGraph graph;
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    graph.capture_begin();
    at::mul_out(result, local, at::scalar_tensor(3.0));
    // don't: copy before the capture, into memory that the graph reads
    if (wrong) attempt("copy", [&] { local.copy_(remote, /*non_blocking=*/true); });
    if (!attempt("capture_end", [&] { graph.capture_end(); })) return;
  }
  fill_canary(result);
  graph.replay();
  expect_equal(result, 6);
}

CASE(cross_device, replay_under_another_gpus_guard,
     .title = "A graph replays on the GPU that it was captured on, whichever GPU is current",
     .claims = {"rep.any-stream"},
     .needs = {.gpus = 2}) {
  const Tensor x = gpu_tensor(2);
  Tensor y;
  const Graph graph = capture([&] { y = x * 3; });
  fill_canary(y);
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAGuard on_second(1);
    replay(graph);
    c10::cuda::device_synchronize();
    EXPECT_EQ(c10::cuda::current_device(), 1);
  }
  c10::cuda::device_synchronize();
  expect_equal(y, 6);
}

MISUSE(cross_device, pool_of_one_gpu_for_a_capture_on_another,
       .title = "A MemPool belongs to the GPU that was current when it was made: a capture on another GPU is "
                "refused it",
       .claims = {"pool.graph.arg"},
       .needs = {.gpus = 2}) {
  gpu_tensor(0);  // starts the allocator of both GPUs
  const Tensor x = at::full({1024}, 2.0, at::Device(at::kCUDA, 1));
  Tensor y;
  const c10::cuda::CUDAGuard on_pools_gpu(wrong ? 0 : 1);  // don't: make the pool on the GPU that captures
  at::cuda::MemPool pool;
  at::cuda::CUDAGraph graph;
  const c10::cuda::CUDAStreamGuard capturing(c10::cuda::getStreamFromPool(false, 1));
  c10::cuda::device_synchronize();
  if (!attempt("capture_begin", [&] { graph.capture_begin(pool.id()); })) return;
  y = x * 3;
  graph.capture_end();
  fill_canary(y);
  graph.replay();
  expect_equal(y, 6);
}

OBSERVE(cross_device, dead_pool_handle_on_another_gpu,
        .title = "A pool handle whose only graph has died, used for a capture on another GPU",
        .claims = {"gmem.handle.opaque"},
        .needs = {.gpus = 2}) {
  const auto pool = at::cuda::graph_pool_handle();
  const Tensor x = gpu_tensor(1), other = at::full({1024}, 2.0, at::Device(at::kCUDA, 1));
  Tensor y;
  capture(pool, [&] { y = x * 2; });  // destroyed at once
  y.reset();
  const c10::cuda::CUDAStreamGuard capturing(c10::cuda::getStreamFromPool(false, 1));
  c10::cuda::device_synchronize();
  at::cuda::CUDAGraph graph;
  attempt("capture on the other GPU", [&] {
    graph.capture_begin(pool);
    y = other * 3;
    graph.capture_end();
  });
}
