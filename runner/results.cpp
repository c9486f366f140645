#include "results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "status.h"

namespace cudasem {

namespace {

/// Several results as one; what flaked says how sure that is.
Judgement verdict_of(const std::vector<Judgement>& counted) {
  Judgement verdict = combine(counted);
  if (verdict.verdict != Verdict::flaky) return verdict;
  const Interval share = wilson(verdict.k, verdict.n);
  verdict.reason += fmt::format(" (as expected in {:.0f} to {:.0f} % of runs, with 95 % confidence)",
                                share.low * 100, share.high * 100);
  return verdict;
}

}  // namespace

Interval wilson(int k, int n) {
  if (n == 0) return {};
  constexpr double z = 1.959964;  // of 95 %, two-sided
  const double share = static_cast<double>(k) / n, square = z * z / n;
  const double middle = share + square / 2;
  const double half = z * std::sqrt(share * (1 - share) / n + square / (4 * n));
  return {std::max(0.0, (middle - half) / (1 + square)), std::min(1.0, (middle + half) / (1 + square))};
}

/// Plainly, then in its order, then while the machine is busy, and from the beginning again.
std::vector<Unit> Results::retries(size_t item) const {
  constexpr std::array kinds = {Purpose::alone, Purpose::order, Purpose::load};
  std::vector<Unit> units;
  for (int i = 0; i < rules_.retry; ++i) {
    Unit unit{.items = {item}, .purpose = kinds[static_cast<size_t>(i) % kinds.size()]};
    const auto& before = cases_[item].before;
    if (unit.purpose == Purpose::order) unit.items.insert(unit.items.begin(), before.begin(), before.end());
    unit.only_last = true;
    units.push_back(std::move(unit));
  }
  return units;
}

Results::Decision Results::add(const Result& result) {
  Case& one = cases_[result.item];
  Decision decision;
  const bool fine = is_fine(result.judgement.verdict) && !result.suspect;
  const bool planned = result.purpose == Purpose::first || result.purpose == Purpose::repeat;
  if (result.in_batch && planned && !fine) {
    decision.again.push_back({.items = {result.item}, .purpose = Purpose::alone});
    return decision;
  }
  one.counted.push_back(result.judgement);
  if (static_cast<int>(one.counted.size()) < rules_.repeat + one.further) return decision;
  const bool all_fine = std::all_of(one.counted.begin(), one.counted.end(),
                                    [](const Judgement& it) { return is_fine(it.verdict); });
  if (!all_fine && one.further == 0 && rules_.retry > 0) {
    one.further = rules_.retry;
    decision.again = retries(result.item);
    return decision;
  }
  one.done = decision.done = true;
  decision.verdict = verdict_of(one.counted);
  return decision;
}

}  // namespace cudasem
