// Second of three families: what must stay alive until the replay? Two sections of 1 Ki floats.
#include "measure/rows.h"
#include "support/torch_compat.h"

/// Memory of no pool for a result, cut like the input from what was there before.
static Tensor result_outside(const HotPath& path) {
  const c10::cuda::CUDAStreamGuard on_its_stream(capture_stream());
  return at::zeros_like(path.input);
}

/// Captures both sections in one graph, each in its own pool. What they put out, the graph copies to
/// `result`, which is in no pool, and `outputs` holds it.
static void capture_in_two_pools(HotPath& path, bool retain, Tensor& result, std::vector<Tensor>& outputs) {
  make_pools(path, 2);
  path.capture({0, 0}, [&](at::cuda::CUDAGraph& graph) {
    Tensor x = path.input;
    for (at::cuda::MemPool& pool : path.pools) {
      const PoolScope scope(pool);
      if (retain) path.retained = retain_pool(graph, pool.id());
      x = section(x);
      outputs.push_back(x);
    }
    result.copy_(x);
  });
}

/// Destroys the MemPools, gives back what the cache holds, and replays. The tensors that the caller dropped
/// are gone by then.
static void replay_without_pools(const Variant& variant, HotPath& path, const Tensor& result,
                                 const std::string& note) {
  Tensor want;
  {
    const c10::cuda::CUDAStreamGuard on_its_stream(capture_stream());
    path.input.mul_(-2);
    want = run_sections(path.input, path.shape.sections);
  }
  path.pools.clear();
  empty_cache();

  Outcome outcome;
  outcome.captured = outcome.order_kept = true;
  outcome.reserved_MiB = path.reserved_MiB();
  outcome.peak_MiB = path.peak_MiB();
  outcome.note = note + "; reserved_MiB: before the replay";
  outcome.refusal = refused([&] {
    path.replay();
    c10::cuda::device_synchronize();
    outcome.values_equal = at::equal(result, want);
  });
  boundary_row("lifetime", variant, path, outcome);
}

MEASURE(measure, lifetime_split,
        .title = "One graph a pool: a replay after the MemPools, the tensors and the cache are gone",
        .claims = {"gmem.private.lifetime", "pool.graph.arg"}, .needs = {.caching = true}) {
  HotPath path({.sections = 2, .floats = 1024, .warmed = false});
  Tensor x = path.input;
  Tensor result = result_outside(path);
  make_pools(path, 2);
  for (at::cuda::MemPool& pool : path.pools) {
    path.capture(pool.id(), [&](at::cuda::CUDAGraph&) {
      x = section(x);
      result.copy_(x);
    });
  }
  x.reset();
  replay_without_pools(kSplit, path, result, "MemPools, tensors and cache gone: each graph keeps its pool");
}

MEASURE(measure, lifetime_pools_retained,
        .title = "One graph over several pools that it retains: a replay after MemPools, tensors and "
                 "cache are gone",
        .claims = {"gmem.multi.lifetime", "pool.graph.retained"},
        .links = {"https://github.com/pytorch/pytorch/pull/187929"},
        .needs = {.features = {"retain_pool"}, .caching = true}) {
  HotPath path({.sections = 2, .floats = 1024, .warmed = false});
  Tensor result = result_outside(path);
  std::vector<Tensor> outputs;
  capture_in_two_pools(path, /*retain=*/true, result, outputs);
  outputs.clear();
  replay_without_pools(kOneGraphManyPools, path, result,
                       "MemPools, tensors and cache gone: the graph keeps all its pools");
}

MEASURE(measure, lifetime_outputs_held,
        .title = "One graph over several pools that it does not retain: a replay after the MemPools are "
                 "gone, outputs held",
        .claims = {"pool.delete.live-tensor", "gmem.multi.before-feature"}, .needs = {.caching = true}) {
  HotPath path({.sections = 2, .floats = 1024, .warmed = false});
  Tensor result = result_outside(path);
  std::vector<Tensor> outputs;
  capture_in_two_pools(path, /*retain=*/false, result, outputs);
  replay_without_pools(
      kOneGraphManyPools, path, result,
      "MemPools gone, outputs held: they keep the segments in which the small temporaries lie; "
      "large ones, with segments of their own, would be gone");
}

MEASURE(measure, lifetime_nothing_held,
        .title = "One graph over several pools that nobody keeps: a replay after MemPools, tensors and "
                 "cache are gone",
        .claims = {"gmem.multi.lifetime", "cap.keep-references"}, .needs = {.caching = true}) {
  HotPath path({.sections = 2, .floats = 1024, .warmed = false});
  Tensor result = result_outside(path);
  std::vector<Tensor> outputs;
  capture_in_two_pools(path, /*retain=*/false, result, outputs);
  outputs.clear();  // don't: the graph still writes to their memory; the process may lose the GPU
  replay_without_pools(kOneGraphManyPools, path, result,
                       "MemPools, tensors and cache gone, pools not retained: don't do this");
}
