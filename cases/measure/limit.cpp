// Out of memory, provoked: a process that may use 1 GiB captures 16 sections with buffers of 64 MiB.
#include "measure/rows.h"
#include "support/accounting.h"

static void limited_rows(const Variant& variant) {
  namespace caching = c10::cuda::CUDACachingAllocator;
  constexpr std::int64_t limit = 1024 * kMiB;
  const auto device = c10::cuda::current_device();
  for (const bool warmed : {true, false}) {
    HotPath path({.sections = 16, .floats = 16 << 20, .warmed = warmed});
    const auto memory = static_cast<double>(caching::get()->getMemoryInfo(device).second);
    caching::setMemoryFraction(static_cast<double>(limit) / memory, device);
    Outcome outcome = capture_path(variant, path);
    caching::setMemoryFraction(1, device);
    outcome.note = "with a limit of " + std::to_string(limit / kMiB) + " MiB";
    boundary_row("limit", variant, path, outcome);
  }
}

MEASURE(measure, limit_split,
        .title = "Under a memory limit: one graph a pool",
        .claims = {"alloc.fraction.oom", "pool.graph.arg"}, .needs = {.caching = true}, .time_limit_s = 60) {
  limited_rows(kSplit);
}

MEASURE(measure, limit_one_graph_many_pools,
        .title = "Under a memory limit: one graph, each section in its own pool",
        .claims = {"alloc.fraction.oom", "gmem.multi.side-alloc-routed"}, .needs = {.caching = true},
        .time_limit_s = 60) {
  limited_rows(kOneGraphManyPools);
}

MEASURE(measure, limit_shared_pool_handle,
        .title = "Under a memory limit: a graph a section, all in one pool",
        .claims = {"alloc.fraction.oom", "gmem.share.saves-memory"}, .needs = {.caching = true},
        .time_limit_s = 60) {
  limited_rows(kSharedPoolHandle);
}

MEASURE(measure, limit_one_graph_one_pool,
        .title = "Under a memory limit: one graph in one pool",
        .claims = {"alloc.fraction.oom", "pool.graph.arg"}, .needs = {.caching = true}, .time_limit_s = 60) {
  limited_rows(kOneGraphOnePool);
}
