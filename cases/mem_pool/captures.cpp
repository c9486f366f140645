#include <optional>

#include "case.h"
#include "support/accounting.h"
#include "support/capture.h"
#include "support/torch_compat.h"

CASE(mem_pool, id_as_capture_pool,
     .title = "A capture given a MemPool's id allocates from that pool, and pool() of its graph is that id",
     .claims = {"pool.graph.arg", "gmem.multi.primary"}, .needs = {.caching = true},
     .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  at::cuda::MemPool pool;
  Tensor y;
  const Graph graph = capture(pool.id(), [&] { y = x * 3; });
  EXPECT_EQ(graph->pool(), pool.id());
  EXPECT_EQ(segment_of(y).owner_private_pool_id, pool.id());
  EXPECT_EQ(pool.use_count(), 2);
  replay(graph);
  expect_equal(y, 6);
}

CASE(mem_pool, two_pools_in_one_capture,
     .title = "A capture may use further pools inside itself; from 2.14 on its graph can keep them and "
              "lists them",
     .claims = {"gmem.multi.list", "gmem.multi.side-alloc-routed", "pool.graph.retained", "gmem.multi.before-feature"},
     .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  at::cuda::MemPool first_pool, second_pool;
  Tensor first, second, last;
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  graph.capture_begin();
  for (const auto& [pool, tensor] : {std::pair{&first_pool, &first}, std::pair{&second_pool, &second}}) {
    const PoolScope scope(*pool);
    retain_pool(graph, pool->id());
    *tensor = x * 3;
  }
  last = first + second;
  graph.capture_end();

  EXPECT_EQ(segment_of(first).owner_private_pool_id, first_pool.id());
  EXPECT_EQ(segment_of(second).owner_private_pool_id, second_pool.id());
  EXPECT_EQ(segment_of(last).owner_private_pool_id, graph.pool());
  fact("pools", static_cast<std::int64_t>(pools(graph).size()));
  fact("use_count", std::int64_t{first_pool.use_count()});
  graph.replay();
  expect_equal(last, 12);
}

MISUSE(mem_pool, pool_not_retained_by_its_graph,
       .title = "Replay after a pool's tensors and object are gone faults, unless the graph was made to "
                "retain the pool",
       .claims = {"gmem.multi.lifetime", "pool.graph.retained"},
       .links = {"https://github.com/pytorch/pytorch/pull/187929"},
       .needs = {.features = {"retain_pool"}, .caching = true}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(1), result = gpu_tensor(0);
  std::optional<at::cuda::MemPool> side_pool(std::in_place);
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    Tensor scratch;
    {
      const PoolScope scope(*side_pool);
      if (!wrong) retain_pool(graph, side_pool->id());  // without this the graph's scratch memory is nobody's
      scratch = x * 2;
    }
    result.copy_(scratch);
    graph.capture_end();
  }
  side_pool.reset();
  empty_cache();
  fact("reserved_MiB", reserved_bytes() / kMiB);
  attempt("replay", [&] {
    graph.replay();
    expect_intact(result, 2);
  });
}

MISUSE(mem_pool, retained_after_the_capture,
       .title = "retain_pool() is refused once the capture has ended; until then naming a pool twice "
                "retains it once",
       .claims = {"gmem.multi.retain-outside", "gmem.multi.list-once"},
       .needs = {.features = {"retain_pool"}, .caching = true}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  at::cuda::MemPool pool;
  Tensor y;
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  graph.capture_begin();
  y = x * 3;
  if (wrong) graph.capture_end();  // don't: what a graph keeps is settled by its capture
  attempt("retain_pool", [&] { retain_pool(graph, pool.id()); });
  attempt("retain_pool again", [&] { retain_pool(graph, pool.id()); });
  if (!wrong) graph.capture_end();

  EXPECT_EQ(pool.use_count(), wrong ? 1 : 2);
  EXPECT_EQ(pools(graph).size(), wrong ? 1U : 2U);
}

OBSERVE(mem_pool, first_use_in_a_capture,
        .title = "A capture into a fresh pool asks CUDA for memory; into a pool that is warm on its "
                 "stream it does not",
        .claims = {"gmem.capture.accounting", "pool.graph.arg"}, .needs = {.caching = true},
        .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  capture([&] { x * 1; });  // the first capture of a process allocates for the random number generator, too
  const auto allocations = [&](at::cuda::MemPool& pool) {
    const auto before = device_stats().num_device_alloc;
    const Graph graph = capture(pool.id(), [&] { x * 3; });
    return device_stats().num_device_alloc - before;
  };
  at::cuda::MemPool fresh, warm;
  {
    const c10::cuda::CUDAStreamGuard on_its_stream(capture_stream());
    const PoolScope scope(warm);
    gpu_tensor(0);
  }
  fact("device_allocations_fresh", allocations(fresh));
  fact("device_allocations_warm", allocations(warm));
}

OBSERVE(mem_pool, capture_begun_inside_a_scope,
        .title = "A capture begun inside a pool's scope allocates from its own pool; after it the scope "
                 "goes on",
        .claims = {"gmem.multi.capture-inside-scope"},
        .links = {"https://github.com/pytorch/pytorch/pull/168137"}, .needs = {.caching = true},
        .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  at::cuda::MemPool pool;
  const PoolScope scope(pool);
  Tensor y;
  const Graph graph = capture([&] { y = x * 3; });
  const Tensor after = gpu_tensor(0);
  const auto owner_of = [&](const Tensor& tensor) {
    const auto id = segment_of(tensor).owner_private_pool_id;
    return id == graph->pool() ? "the graph's pool" : id == pool.id() ? "the scope's pool" : "no pool";
  };
  fact("captured", owner_of(y));
  fact("after", owner_of(after));
  replay(graph);
  expect_equal(y, 6);
}
