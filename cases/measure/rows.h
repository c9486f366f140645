// What a MEASURE case does with a variant, and the row that it makes of it.
#pragma once

#include <optional>
#include <string>

#include "case.h"
#include "measure/pass_times.h"
#include "measure/variants.h"
#include "support/refusal.h"

namespace cudasem {

/// What became of one path. Left-out members become left-out cells.
struct Outcome {
  std::optional<bool> captured = {};
  Refusal refusal = {};
  std::int64_t reserved_MiB = 0;
  std::int64_t peak_MiB = 0;
  std::optional<bool> order_kept = {};
  std::optional<bool> values_equal = {};
  std::optional<PassTimes> times = {};
  std::string note = {};
};

/// Captures `path` in the way of `variant`, and looks where its outputs lie.
Outcome capture_path(const Variant& variant, HotPath& path);

/// Gives a captured path another input, replays it once, and says whether its output is exactly what the
/// sections compute eagerly.
bool replays_like_eager(HotPath& path);

/// The row of the table pool_boundaries.
void boundary_row(std::string_view stage, const Variant& variant, const HotPath& path,
                  const Outcome& outcome);

}  // namespace cudasem
