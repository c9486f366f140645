// Errors as data, for MEASURE cases: what was refused goes into a cell of a table, not into the outcome.
#pragma once

#include <string>

#include "case.h"

namespace cudasem {

/// What was refused, as a row says it.
struct Refusal {
  std::string text;  ///< empty: nothing was
  std::string kind;  ///< `oom`, `isolation` (the text is about a pool or its recording state), `other`

  explicit operator bool() const { return !text.empty(); }
};

/// The exception that is being handled.
Refusal current_refusal();

/// Runs `fn`; returns what it was refused.
template <typename Fn>
Refusal refused(Fn&& fn) {
  try {
    fn();
    return {};
  } catch (const CaseEnded&) {
    throw;
  } catch (...) {
    return current_refusal();
  }
}

}  // namespace cudasem
