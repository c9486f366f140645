#include "case.h"
#include "support/capture.h"
#include "support/torch_compat.h"

MISUSE(mem_pool, pools_asked_for_too_early,
       .title = "pools() is refused until capture_end, also during the capture, which goes on unharmed",
       .claims = {"gmem.multi.pools-before-capture"},
       .needs = {.features = {"retain_pool"}, .caching = true}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  Tensor y;
  at::cuda::CUDAGraph graph;
  const auto ask = [&] { attempt("pools", [&] { EXPECT_EQ(pools(graph).size(), 1U); }); };
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    graph.capture_begin();
    y = x * 3;
    if (wrong) ask();  // don't: which pools a graph keeps is settled by its capture
    graph.capture_end();
  }
  if (!wrong) ask();
  graph.replay();
  expect_equal(y, 6);
}

MISUSE(mem_pool, default_pool_retained,
       .title = "retain_pool() of {0, 0}, the memory of no pool, is refused; the capture goes on",
       .claims = {"gmem.multi.retain-default"},
       .needs = {.features = {"retain_pool"}, .caching = true}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  at::cuda::MemPool pool;
  const c10::MempoolId_t id =
      wrong ? c10::MempoolId_t{0, 0} : pool.id();  // don't: a graph keeps pools, not the cache
  Tensor y;
  const Graph graph = std::make_unique<at::cuda::CUDAGraph>();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph->capture_begin();
    attempt("retain_pool", [&] { retain_pool(*graph, id); });
    y = x * 3;
    graph->capture_end();
  }
  EXPECT_EQ(pools(*graph).size(), wrong ? 1U : 2U);
  replay(graph);
  expect_equal(y, 6);
}
