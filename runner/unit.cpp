#include "unit.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>

namespace cudasem {

namespace {

using Group = std::pair<std::string, int>;  // area, GPUs

Group group_of(const PlanItem& item) {
  return {item.found->area, item.found->info.needs_gpus};
}

/// std::shuffle may differ between libraries; the same seed must give the same batches everywhere.
template <typename T>
void shuffle(std::vector<T>& values, std::mt19937_64& random) {
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

/// In pieces of nearly the same size, none larger than `largest`.
void cut(const std::vector<size_t>& items, size_t pieces, size_t largest, std::vector<Unit>& into) {
  pieces = std::clamp((items.size() + largest - 1) / largest, std::min(pieces, items.size()), items.size());
  for (size_t piece = 0, from = 0; piece < pieces; ++piece) {
    const size_t size = items.size() / pieces + (piece < items.size() % pieces ? 1 : 0);
    Unit unit;
    unit.items.assign(items.begin() + static_cast<std::ptrdiff_t>(from),
                      items.begin() + static_cast<std::ptrdiff_t>(from + size));
    into.push_back(std::move(unit));
    from += size;
  }
}

bool exclusive(const PlanItem& item) {
  return item.found->info.isolation == "exclusive";
}

}  // namespace

std::string_view name(Purpose purpose) {
  switch (purpose) {
    case Purpose::first:
      return "first";
    case Purpose::repeat:
      return "repeat";
    case Purpose::alone:
      return "alone";
    case Purpose::order:
      return "order";
    case Purpose::load:
      return "load";
    case Purpose::shuffle:
      return "shuffle";
    case Purpose::explain:
      return "explain";
  }
  return "?";
}

std::vector<Unit> make_batches(const std::vector<PlanItem>& plan, const std::vector<size_t>& candidates,
                               const BatchRules& rules) {
  std::vector<Group> order;  // as the plan has them
  std::map<Group, std::vector<size_t>> groups;
  for (size_t index : candidates) {
    auto& group = groups[group_of(plan[index])];
    if (group.empty()) order.push_back(group_of(plan[index]));
    group.push_back(index);
  }
  const size_t jobs = static_cast<size_t>(std::max(1, rules.jobs));
  const size_t pieces = order.empty() ? 1 : (jobs + order.size() - 1) / order.size();
  std::mt19937_64 random(rules.shuffle.value_or(0));
  std::vector<Unit> units;
  for (const auto& group : order) {
    if (rules.shuffle) shuffle(groups[group], random);
    cut(groups[group], pieces, rules.largest, units);
  }
  if (rules.shuffle) shuffle(units, random);
  return units;
}

std::vector<Unit> make_units(const std::vector<PlanItem>& plan, const std::vector<size_t>& runnable,
                             const BatchRules& rules) {
  std::vector<size_t> shared;
  std::vector<Unit> units, last;
  for (size_t index : runnable) {
    if (!rules.isolate_all && plan[index].found->info.shares(plan[index].way)) {
      shared.push_back(index);
    } else {
      (exclusive(plan[index]) ? last : units).push_back({.items = {index}});
    }
  }
  std::vector<Unit> batches = make_batches(plan, shared, rules);
  batches.insert(batches.end(), units.begin(), units.end());
  if (rules.shuffle) {
    std::mt19937_64 random(*rules.shuffle);
    shuffle(batches, random);
    shuffle(last, random);
  }
  batches.insert(batches.end(), last.begin(), last.end());
  return batches;
}

}  // namespace cudasem
