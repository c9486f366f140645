#include "measure/rows.h"

namespace cudasem {
namespace {

std::int64_t pools_of(const Variant& variant, const HotPath& path) {
  return variant.one_pool ? 1 : path.shape.sections;
}

}  // namespace

Outcome capture_path(const Variant& variant, HotPath& path) {
  Outcome outcome;
  outcome.refusal = refused([&] { variant.capture(path); });
  outcome.captured = !outcome.refusal;
  outcome.reserved_MiB = path.reserved_MiB();
  outcome.peak_MiB = path.peak_MiB();
  if (outcome.refusal) return outcome;
  if (const auto misplaced = path.misplaced(); misplaced > 0) {
    outcome.refusal = {std::to_string(misplaced) + " of " + std::to_string(path.shape.sections) +
                           " outputs lie in another pool than that of their section",
                       "isolation"};
  }
  if (path.shape.warmed && path.segments > 0) {
    outcome.note =
        "the warmed pools lacked " + std::to_string(path.segments) + " segments, allocated in the capture";
  }
  return outcome;
}

bool replays_like_eager(HotPath& path) {
  path.input.mul_(-2);  // the captures saw another input: old values cannot pass for new ones
  const Tensor want = run_sections(path.input, path.shape.sections);
  fill_canary(path.output);
  path.replay();
  return at::equal(path.output, want);
}

void boundary_row(std::string_view stage, const Variant& variant, const HotPath& path,
                  const Outcome& outcome) {
  const auto graphs = static_cast<std::int64_t>(path.graphs.size());
  std::vector<std::pair<std::string, Cell>> cells{{"stage", std::string(stage)},
                                                  {"variant", std::string(variant.name)},
                                                  {"sections", path.shape.sections},
                                                  {"floats", path.shape.floats},
                                                  {"warmed", path.shape.warmed},
                                                  {"pools", pools_of(variant, path)},
                                                  {"graphs", graphs},
                                                  {"shared_pool", variant.one_pool && graphs > 1},
                                                  {"error", outcome.refusal.text},
                                                  {"reserved_MiB", outcome.reserved_MiB},
                                                  {"peak_MiB", outcome.peak_MiB}};
  const auto add = [&](const char* column, const auto& value) {
    if (value) cells.emplace_back(column, *value);
  };
  add("captured", outcome.captured);
  add("order_kept", outcome.order_kept);
  add("values_equal", outcome.values_equal);
  if (outcome.refusal) cells.emplace_back("error_kind", outcome.refusal.kind);
  if (variant.capture == one_graph_many_pools) cells.emplace_back("retained", path.retained);
  if (outcome.captured.value_or(false)) {
    cells.emplace_back("nodes", path.nodes);
    cells.emplace_back("capture_ms", path.capture_ms);
    cells.emplace_back("instantiate_ms", path.instantiate_ms);
  }
  if (outcome.times) {
    cells.emplace_back("iterations", outcome.times->passes);
    cells.emplace_back("median_ms", outcome.times->median_ms);
    cells.emplace_back("p10_ms", outcome.times->p10_ms);
    cells.emplace_back("p90_ms", outcome.times->p90_ms);
    cells.emplace_back("host_ms", outcome.times->host_ms);
  }
  if (!outcome.note.empty()) cells.emplace_back("note", outcome.note);
  row("pool_boundaries", cells);
}

}  // namespace cudasem
