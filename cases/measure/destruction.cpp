// Second of three families: does memory come back in whatever order the graphs are destroyed?
#include "measure/rows.h"

static void destruction_row(const Variant& variant, bool reverse) {
  HotPath path({.sections = 2, .floats = 1024, .warmed = false});
  Outcome outcome = capture_path(variant, path);
  require(outcome.captured == true, "the path is captured");
  outcome.order_kept = true;
  outcome.values_equal = replays_like_eager(path);

  path.graphs[reverse ? 1 : 0].reset();
  path.graphs[reverse ? 0 : 1].reset();
  path.output.reset();
  path.pools.clear();
  empty_cache();
  outcome.reserved_MiB = path.reserved_MiB();
  outcome.note = std::string("graphs destroyed in ") + (reverse ? "reverse" : "capture") +
                 " order; reserved_MiB: what is left after that";
  boundary_row("lifetime", variant, path, outcome);
}

MEASURE(measure, lifetime_destruction_order,
        .title = "What stays reserved after the graphs are destroyed in the order of capture, and in reverse",
        .claims = {"gmem.private.lifetime", "pool.delete.frees-when-idle"}, .needs = {.caching = true}) {
  const c10::cuda::CUDAStreamGuard on_its_stream(capture_stream());
  for (const Variant& variant : {kSplit, kSharedPoolGraphPool, kSharedPoolHandle, kSharedPoolMemPool}) {
    for (const bool reverse : {false, true}) destruction_row(variant, reverse);
  }
}
