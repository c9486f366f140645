#include "case.h"
#include "support/capture.h"

CASE(shared_pool, handle_from_a_graph,
     .title = "pool() of a captured graph is a handle too: the next capture with it reuses the first "
              "one's free blocks",
     .claims = {"gmem.share.pool-arg-hint", "gmem.pool.feeds-next"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1), first, second;
  const void* temporary = nullptr;
  const Graph one = capture([&] {
    const Tensor product = x * 2;
    temporary = product.data_ptr();
    first = product + 1;
  });
  const Graph two = capture(one->pool(), [&] { second = first * 10; });
  EXPECT_EQ(two->pool(), one->pool());
  EXPECT_EQ(second.data_ptr(), temporary);
  replay(one, two);
  expect_equal(second, 30);
}

MISUSE(shared_pool, handle_asked_for_too_early,
       .title = "pool() is refused until capture_end, also during the capture, which goes on unharmed",
       .claims = {"gmem.pool.before-capture"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y;
  c10::MempoolId_t pool{0, 0};
  const auto ask = [&](at::cuda::CUDAGraph& graph) { attempt("pool", [&] { pool = graph.pool(); }); };
  at::cuda::CUDAGraph graph;
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    graph.capture_begin();
    y = x * 3;
    if (wrong) ask(graph);  // don't: to know a capture's pool in advance, give it a graph_pool_handle()
    graph.capture_end();
  }
  if (!wrong) ask(graph);
  EXPECT_EQ(pool == graph.pool(), !wrong);
  graph.replay();
  expect_equal(y, 6);
}

CASE(shared_pool, one_graph_destroyed,
     .title = "Destroying one graph of a pool leaves the pool, the other graphs, and the outputs that are "
              "still held",
     .claims = {"gmem.private.lifetime", "gmem.handle.opaque"}, .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor x = gpu_tensor(1), first, second;
  Graph one = capture(pool, [&] { first = x * 2 + 1; });
  const Graph two = capture(pool, [&] { second = (first * 10 + 1) * 2; });
  replay(one);
  one.reset();
  empty_cache();
  const std::vector<Tensor> newcomers{gpu_tensor(7), gpu_tensor(8), gpu_tensor(9)};
  replay(two);
  expect_equal(first, 3);
  expect_equal(second, 62);
  expect_equal(newcomers[0] + newcomers[1] + newcomers[2], 24);
}

OBSERVE(shared_pool, handle_of_a_pool_that_died,
        .title = "A capture into a pool whose graphs are all gone: before and after the cache is emptied",
        .claims = {"gmem.handle.opaque", "gmem.private.lifetime"}) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor x = gpu_tensor(1), y;
  capture(pool, [&] { y = x * 2; });  // destroyed at once
  y.reset();
  const auto reuse = [&] {
    const Graph graph = capture(pool, [&] { y = x * 3; });
    replay(graph);
    expect_equal(y, 3);
    y.reset();
  };
  attempt("before empty_cache", reuse);
  empty_cache();
  attempt("after empty_cache", reuse);
}
