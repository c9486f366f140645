// Compares what was observed with what was expected (INTERPRETING.md section 7).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expectation.h"
#include "outcome.h"
#include "waivers.h"

namespace cudasem {

struct Judgement {
  Verdict verdict = Verdict::missing;
  std::string reason = {};  ///< one sentence: what was expected and what was seen; empty for as_expected
  int k = 0;                ///< of n attempts, k were as expected
  int n = 1;
  std::optional<Waiver> waived = {};  ///< known and lived with: not counted
};

/// Whether the run's exit status may be 0 with it.
bool is_fine(Verdict verdict);
bool is_fine(const Judgement& judgement);

/// Marks one that is not fine as waived where a waiver holds for this id and outcome.
void waive(Judgement& judgement, const Waivers& waivers, const std::string& id, Outcome outcome);

/// The word under which it is counted: its verdict, or `waived`.
std::string counted_as(const Judgement& judgement);
/// Whether the exit status may be 0 with all of these, which are by `counted_as`.
bool are_fine(const std::map<std::string, int>& counts);

/// Judges one attempt. `entry` is what Expectations::find gave: without one, `ok` is expected, and a misuse's
/// wrong way cannot pass. `subject` is used for words only.
Judgement judge(const Expectation* entry, Kind kind, std::string_view way, const Observed& observed,
                const Subject& subject);

/// Several attempts as one: the common verdict, or `flaky` if some but not all were as expected, else the
/// worst. Without any attempt: missing. Waived if each that is not fine is.
Judgement combine(const std::vector<Judgement>& attempts);

/// What of the entry was not seen, as a sentence; nothing if all of it was seen and nothing else.
std::optional<std::string> mismatch(const Expectation& entry, const Observed& observed);

/// "error 900 at item, then error 901 at capture_end"
std::string text(const Effect& effect);
std::string text(const Observed& observed);

}  // namespace cudasem
