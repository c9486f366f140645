// Third of three families: how long does a pass take? Only a path whose output equals eager's is timed.
#include "measure/rows.h"

static constexpr std::int64_t kPasses = 200;

static void time_rows(const Variant& variant) {
  const c10::cuda::CUDAStreamGuard on_its_stream(capture_stream());
  for (const Shape& shape : shapes()) {
    HotPath path(shape);
    Outcome outcome = capture_path(variant, path);
    if (outcome.captured == true) {
      const Refusal at_replay = refused([&] {
        const bool equal = replays_like_eager(path);
        outcome.order_kept = true;
        outcome.values_equal = equal;
        if (equal) outcome.times = time_passes(kPasses, [&] { path.replay(); });
      });
      if (at_replay) outcome.refusal = at_replay;
    }
    boundary_row("timing", variant, path, outcome);
  }
}

MEASURE(measure, time_eager,
        .title = "Time of the hot path without a graph, each section in its own pool",
        .claims = {"pool.routes-in-scope"},
        .needs = {.caching = true}, .isolation = Isolation::exclusive, .time_limit_s = 120) {
  const c10::cuda::CUDAStreamGuard on_its_stream(capture_stream());
  for (const Shape& shape : shapes()) {
    if (!shape.warmed) continue;  // the untimed passes would warm the pools anyway
    HotPath path(shape);
    Outcome outcome;
    outcome.refusal = refused([&] {
      make_pools(path, shape.sections);
      outcome.reserved_MiB = path.reserved_MiB();
      outcome.peak_MiB = path.peak_MiB();
      const auto pass = [&] { return run_in_pools(path.input, shape.sections, path.pools); };
      const bool equal = at::equal(pass(), run_sections(path.input, shape.sections));
      outcome.values_equal = equal;
      if (equal) outcome.times = time_passes(kPasses, pass);
    });
    boundary_row("timing", kEager, path, outcome);
  }
}

MEASURE(measure, time_split,
        .title = "Time of the hot path as one graph a pool: the baseline",
        .claims = {"pool.graph.arg", "rep.single-launch"},
        .needs = {.caching = true}, .isolation = Isolation::exclusive, .time_limit_s = 120) {
  time_rows(kSplit);
}

MEASURE(measure, time_one_graph_many_pools,
        .title = "Time of the hot path as one graph, each section in its own pool",
        .claims = {"gmem.multi.side-alloc-routed", "pool.graph.retained"},
        .links = {"https://github.com/pytorch/pytorch/pull/187929"},
        .needs = {.caching = true}, .isolation = Isolation::exclusive, .time_limit_s = 120) {
  time_rows(kOneGraphManyPools);
}

MEASURE(measure, time_shared_pool_graph_pool,
        .title = "Time of the hot path as a graph a section, all in the pool() of the first, replayed in "
                 "order",
        .claims = {"gmem.share.pool-arg-hint", "gmem.share.capture-order-safe"},
        .needs = {.caching = true}, .isolation = Isolation::exclusive, .time_limit_s = 120) {
  time_rows(kSharedPoolGraphPool);
}

MEASURE(measure, time_shared_pool_handle,
        .title = "Time of the hot path as a graph a section, all in the pool of one graph_pool_handle(), "
                 "in order",
        .claims = {"gmem.handle.opaque", "gmem.share.capture-order-safe"},
        .needs = {.caching = true}, .isolation = Isolation::exclusive, .time_limit_s = 120) {
  time_rows(kSharedPoolHandle);
}

MEASURE(measure, time_shared_pool_mempool,
        .title = "Time of the hot path as a graph a section, all in one MemPool, replayed in order",
        .claims = {"pool.graph.arg", "gmem.share.capture-order-safe"},
        .needs = {.caching = true}, .isolation = Isolation::exclusive, .time_limit_s = 120) {
  time_rows(kSharedPoolMemPool);
}

MEASURE(measure, time_one_graph_one_pool,
        .title = "Time of the hot path as one graph in one MemPool",
        .claims = {"pool.graph.arg", "gmem.multi.primary"},
        .needs = {.caching = true}, .isolation = Isolation::exclusive, .time_limit_s = 120) {
  time_rows(kOneGraphOnePool);
}
