// First of three families: does a way of capturing the hot path capture at all? Nothing is replayed here.
#include "measure/rows.h"

static void capture_rows(const Variant& variant) {
  for (const Shape& shape : shapes()) {
    HotPath path(shape);
    const Outcome outcome = capture_path(variant, path);
    boundary_row("capture", variant, path, outcome);
  }
}

MEASURE(measure, capture_split,
        .title = "Capturing the hot path as one graph a pool",
        .claims = {"pool.graph.arg", "gmem.capture.accounting"},
        .needs = {.caching = true}, .time_limit_s = 60) {
  capture_rows(kSplit);
}

MEASURE(measure, capture_one_graph_many_pools,
        .title = "Capturing the hot path as one graph, each section in its own pool",
        .claims = {"gmem.multi.side-alloc-routed", "pool.graph.retained", "gmem.multi.before-feature"},
        .links = {"https://github.com/pytorch/pytorch/pull/187929"},
        .needs = {.caching = true}, .time_limit_s = 60) {
  capture_rows(kOneGraphManyPools);
}

MEASURE(measure, capture_shared_pool_graph_pool,
        .title = "Capturing the hot path as a graph a section, all in the pool() of the first",
        .claims = {"gmem.share.pool-arg-hint", "gmem.pool.feeds-next"},
        .needs = {.caching = true}, .time_limit_s = 60) {
  capture_rows(kSharedPoolGraphPool);
}

MEASURE(measure, capture_shared_pool_handle,
        .title = "Capturing the hot path as a graph a section, all in the pool of one graph_pool_handle()",
        .claims = {"gmem.handle.opaque", "gmem.share.saves-memory"},
        .needs = {.caching = true}, .time_limit_s = 60) {
  capture_rows(kSharedPoolHandle);
}

MEASURE(measure, capture_shared_pool_mempool,
        .title = "Capturing the hot path as a graph a section, all in one MemPool",
        .claims = {"pool.graph.arg", "gmem.share.saves-memory"},
        .needs = {.caching = true}, .time_limit_s = 60) {
  capture_rows(kSharedPoolMemPool);
}

MEASURE(measure, capture_one_graph_one_pool,
        .title = "Capturing the hot path as one graph in one MemPool",
        .claims = {"pool.graph.arg", "gmem.multi.primary"},
        .needs = {.caching = true}, .time_limit_s = 60) {
  capture_rows(kOneGraphOnePool);
}
