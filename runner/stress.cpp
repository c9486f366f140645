#include "stress.h"

#include <fmt/format.h>

#include <algorithm>

#include "attempt.h"

namespace cudasem {

using nlohmann::json;

namespace {

std::string shown(const json& value) {
  std::string text = value.dump();
  if (text.size() > 120) text = text.substr(0, 117) + "...";
  return text;
}

/// How often it differed, and the first time how.
std::string differences(const std::vector<json>& seen, const json& from) {
  int different = 0;
  std::string first;
  for (const auto& one : seen) {
    const std::string difference = first_difference(from, one);
    if (difference.empty()) continue;
    if (different++ == 0) first = difference;
  }
  return different ? fmt::format("{} of {} times {}", different, seen.size(), first) : "";
}

}  // namespace

json comparable(const Observed& observed) {
  json effects = json::array();
  for (const auto& effect : observed.effects) {
    json one = to_json(effect);
    one.erase("text");  // the normalised one stands beside it
    effects.push_back(std::move(one));
  }
  return {{"outcome", name(observed.outcome)},
          {"detail", observed.detail},
          {"at", observed.at},
          {"effects", std::move(effects)},
          {"facts", observed.facts}};
}

std::string first_difference(const json& one, const json& other) {
  for (const char* key : {"outcome", "detail", "at", "effects"})
    if (one.at(key) != other.at(key))
      return fmt::format("{}: {}, then {}", key, shown(one.at(key)), shown(other.at(key)));
  const json &facts = one.at("facts"), &others = other.at("facts");
  for (const auto& [key, value] : facts.items())
    if (!others.contains(key) || others.at(key) != value)
      return fmt::format("fact {}: {}, then {}", key, shown(value),
                         others.contains(key) ? shown(others.at(key)) : "nothing");
  for (const auto& [key, value] : others.items())
    if (!facts.contains(key)) return fmt::format("fact {}: nothing, then {}", key, shown(value));
  return {};
}

std::vector<Unit> Stress::fresh_units() const {
  std::vector<Unit> units;
  for (int time = 0; time < kFresh; ++time)
    for (size_t item : runnable_)
      units.push_back(
          {.items = {item}, .purpose = time < kFresh - kUnderLoad ? Purpose::repeat : Purpose::load});
  return units;
}

std::string Stress::why_no_candidate(size_t item) const {
  const CaseInfo& info = plan_[item].found->info;
  const Seen& seen = seen_[item];
  if (info.isolation == "exclusive") return "it measures and is exclusive";
  const bool changes = info.source.find("setenv") != std::string::npos ||
                       info.source.find("set_alloc_conf") != std::string::npos;
  if (changes || !info.env.empty()) return "it changes the environment";
  if (seen.takes_process) return "it crashes, hangs or leaves an error that the context does not survive";
  if (seen.fresh.empty()) return "it gave no result alone";
  if (const auto differed = differences(seen.fresh, seen.fresh.front()); !differed.empty())
    return "it is not stable alone: " + differed;
  return {};
}

std::vector<Unit> Stress::batch_units(const BatchRules& rules) const {
  std::vector<size_t> candidates;
  std::copy_if(runnable_.begin(), runnable_.end(), std::back_inserter(candidates),
               [&](size_t item) { return why_no_candidate(item).empty(); });
  std::vector<Unit> units;
  for (int round = 0; round < kRounds; ++round) {
    BatchRules shuffled = rules;
    shuffled.shuffle = rules.shuffle.value_or(1) + static_cast<uint64_t>(round);
    for (auto& unit : make_batches(plan_, candidates, shuffled)) {
      unit.purpose = Purpose::shuffle;
      units.push_back(std::move(unit));
    }
  }
  return units;
}

void Stress::add(size_t item, bool in_batch, const Observed& observed, const std::vector<std::string>& dirt) {
  Seen& seen = seen_[item];
  (in_batch ? seen.batched : seen.fresh).push_back(comparable(observed));
  if (!in_batch && leaves_gpu_in_doubt(observed)) seen.takes_process = true;
  seen.dirt.insert(seen.dirt.end(), dirt.begin(), dirt.end());
}

std::vector<StressFinding> Stress::findings() const {
  std::vector<StressFinding> result;
  for (size_t item : runnable_) {
    const Seen& seen = seen_[item];
    StressFinding finding{item, static_cast<int>(seen.fresh.size()), static_cast<int>(seen.batched.size())};
    finding.not_earned = why_no_candidate(item);
    if (!seen.fresh.empty()) finding.differed = differences(seen.fresh, seen.fresh.front());
    if (finding.not_earned.empty() && !seen.dirt.empty())
      finding.not_earned = "it leaves dirt: " + seen.dirt.front();
    if (finding.not_earned.empty()) {
      const auto differed = differences(seen.batched, seen.fresh.front());
      if (!differed.empty()) finding.not_earned = "in a batch " + differed;
    }
    if (finding.not_earned.empty() && finding.batched < kRounds)
      finding.not_earned = fmt::format("only {} of {} batches gave a result", finding.batched, kRounds);
    result.push_back(std::move(finding));
  }
  return result;
}

}  // namespace cudasem
