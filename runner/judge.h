// Compares what was observed with what was expected (INTERPRETING.md section 7).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expectation.h"
#include "outcome.h"

namespace cudasem {

struct Judgement {
  Verdict verdict = Verdict::missing;
  std::string reason = {};  ///< one sentence: what was expected and what was seen; empty for as_expected
  int k = 0;                ///< of n attempts, k were as expected
  int n = 1;
};

/// Judges one attempt. `entry` is what Expectations::find gave: without one, `ok` is expected, and a misuse's
/// wrong way cannot pass. `subject` is used for words only.
Judgement judge(const Expectation* entry, Kind kind, std::string_view way, const Observed& observed,
                const Subject& subject);

/// Several attempts as one: the common verdict, or `flaky` if some but not all were as expected, else the
/// worst. Without any attempt: missing.
Judgement combine(const std::vector<Judgement>& attempts);

/// What of the entry was not seen, as a sentence; nothing if all of it was seen and nothing else.
std::optional<std::string> mismatch(const Expectation& entry, const Observed& observed);

/// "error 900 at item, then error 901 at capture_end"
std::string text(const Effect& effect);
std::string text(const Observed& observed);

}  // namespace cudasem
