// What one process is for: the cases it runs, one after the other, and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "plan.h"

namespace cudasem {

/// Why a case is run in this process; the word stands in the log.
enum class Purpose {
  first,   ///< as planned: alone, or in a batch of cases that earned it
  repeat,  ///< --repeat: once more as planned
  alone,   ///< again, in a process of its own: after a result in a batch that was not as expected, or a retry
  order,   ///< a retry among the cases it first ran with
  load,    ///< a retry, or a stress attempt, while the machine is kept busy
  shuffle,  ///< a stress attempt in a shuffled batch
  explain,  ///< for its output alone; never judged
};
std::string_view name(Purpose purpose);

/// One process.
struct Unit {
  std::vector<size_t> items = {};  ///< indices into the plan, in the order in which they run
  Purpose purpose = Purpose::first;
  bool only_last = false;  ///< those before the last are run for their effects and not looked at
};

struct BatchRules {
  bool isolate_all = false;              ///< every case in a process of its own
  std::optional<uint64_t> shuffle = {};  ///< seed: order and composition by chance
  int jobs = 1;         ///< processes at once: as many batches in all, where the cases suffice
  size_t largest = 40;  ///< cases in one process
};

/// Which planned cases go together, `runnable` being indices into `plan`: those of one area that ask for the
/// same GPUs and may share a process. Every index is in exactly one unit; the order is that of `runnable`, or
/// shuffled; `exclusive` cases stay alone and last. The same input gives the same units.
std::vector<Unit> make_units(const std::vector<PlanItem>& plan, const std::vector<size_t>& runnable,
                             const BatchRules& rules);

/// The same for cases that might share a process (`--stress`), whatever they are marked with.
std::vector<Unit> make_batches(const std::vector<PlanItem>& plan, const std::vector<size_t>& candidates,
                               const BatchRules& rules);

}  // namespace cudasem
