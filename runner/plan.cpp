#include "plan.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <numeric>

#include "timings.h"

namespace cudasem {

namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool matches(const std::string& glob, const std::string& text) {
  return fnmatch(glob.c_str(), text.c_str(), 0) == 0;
}

}  // namespace

std::string way_of(const std::string& id) {
  const auto slash = id.find('/');
  return slash == id.npos ? "" : id.substr(slash + 1);
}

bool Selection::selects(const CatalogCase& c, const std::string& id) const {
  auto any_glob = [&](const std::string& glob) { return matches(glob, id) || matches(glob, c.info.name); };
  auto any_claim = [&](const std::string& claim) { return contains(claims, claim); };
  return (globs.empty() || std::any_of(globs.begin(), globs.end(), any_glob)) &&
         (areas.empty() || contains(areas, c.area)) &&
         (kinds.empty() || contains(kinds, name(c.info.kind))) &&
         (claims.empty() || std::any_of(c.info.claims.begin(), c.info.claims.end(), any_claim)) &&
         (way.empty() || way == way_of(id));
}

bool Selection::selects_area(const std::string& area) const {
  if (shard != 1) return false;
  auto begins = [&](const std::string& glob) {
    return glob.starts_with(area + ".") || matches(glob, area + ".*");
  };
  return (areas.empty() || contains(areas, area)) &&
         (globs.empty() || std::any_of(globs.begin(), globs.end(), begins));
}

bool Selection::selects_all(const Catalog& catalog) const {
  Selection of_all_shards = *this;
  of_all_shards.shard = 1;
  const auto selects_case = [&](const CatalogCase& c) {
    const auto ids = c.info.ids();
    return std::all_of(ids.begin(), ids.end(), [&](const std::string& id) { return selects(c, id); });
  };
  return std::all_of(catalog.cases.begin(), catalog.cases.end(), selects_case) &&
         std::all_of(catalog.uncompiled.begin(), catalog.uncompiled.end(),
                     [&](const Uncompiled& area) { return of_all_shards.selects_area(area.area); });
}

std::vector<std::string> Selection::unmatched(const Catalog& catalog) const {
  auto answered = [&](const Selection& one) {
    return std::any_of(catalog.cases.begin(), catalog.cases.end(),
                       [&](const CatalogCase& c) {
                         const auto ids = c.info.ids();
                         return std::any_of(ids.begin(), ids.end(),
                                            [&](const std::string& id) { return one.selects(c, id); });
                       }) ||
           std::any_of(catalog.uncompiled.begin(), catalog.uncompiled.end(),
                       [&](const Uncompiled& area) { return one.selects_area(area.area); });
  };
  std::vector<std::string> result;
  for (const auto& glob : globs)
    if (!answered({.globs = {glob}})) result.push_back(glob);
  for (const auto& area : areas)
    if (!answered({.areas = {area}})) result.push_back(area);
  return result;
}

std::string why_unsupported(const CaseInfo& info, const Offer& offer) {
  if (info.needs_gpus > offer.gpus) {
    const std::string wanted = info.needs_gpus == 1 ? "a GPU" : fmt::format("{} GPUs", info.needs_gpus);
    if (offer.gpus == 0) return fmt::format("needs {}, none is usable: {}", wanted, offer.no_gpu_why);
    return fmt::format("needs {}, {} found", wanted, offer.gpus);
  }
  if (!info.lacks.empty())
    return fmt::format("needs {}, which this build lacks", fmt::join(info.lacks, ", "));
  if (info.needs_caching && !offer.caching_off_by.empty())
    return fmt::format("needs the caching allocator, which {} turns off", offer.caching_off_by);
  return {};
}

std::vector<int> balanced_shards(const std::vector<double>& times, int shards) {
  std::vector<size_t> longest_first(times.size());
  std::iota(longest_first.begin(), longest_first.end(), size_t{0});
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&](size_t a, size_t b) { return times[a] > times[b]; });
  std::vector<double> load(static_cast<size_t>(shards), 0);
  std::vector<int> result(times.size());
  for (const size_t i : longest_first) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += times[i];
    result[i] = static_cast<int>(least - load.begin()) + 1;
  }
  return result;
}

std::vector<PlanItem> make_plan(const Catalog& catalog, const Selection& selection, const Offer& offer,
                                const std::map<std::string, double>& times) {
  struct Chosen {
    const CatalogCase* found;
    std::vector<std::string> ids;
  };
  std::vector<Chosen> chosen;
  std::vector<double> ms;
  const double usual = usual_time(times);
  for (const auto& c : catalog.cases) {
    std::vector<std::string> ids = c.info.ids();
    std::erase_if(ids, [&](const std::string& id) { return !selection.selects(c, id); });
    if (ids.empty()) continue;
    double sum = 0;
    for (const auto& id : ids) sum += times.count(id) ? times.at(id) : usual;
    ms.push_back(sum);
    chosen.push_back({&c, std::move(ids)});
  }
  const auto shards = balanced_shards(ms, selection.shards);
  std::vector<PlanItem> plan;
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (shards[i] != selection.shard) continue;
    const CatalogCase& c = *chosen[i].found;
    for (const auto& id : chosen[i].ids) plan.push_back({&c, id, way_of(id), why_unsupported(c.info, offer)});
  }
  std::stable_partition(plan.begin(), plan.end(),
                        [](const PlanItem& item) { return item.found->info.isolation != "exclusive"; });
  return plan;
}

void longest_first(std::vector<size_t>& items, const std::vector<PlanItem>& plan,
                   const std::map<std::string, double>& times) {
  const double usual = usual_time(times);
  auto rank = [&](size_t item) {
    const auto known = times.find(plan[item].id);
    const bool alone = plan[item].found->info.isolation == "exclusive";
    return std::pair(alone, known == times.end() ? -usual : -known->second);
  };
  std::stable_sort(items.begin(), items.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
}

std::string unsupported_banner(const std::vector<PlanItem>& plan) {
  std::map<std::string, int> reasons;
  int count = 0;
  for (const auto& item : plan) {
    if (item.unsupported.empty()) continue;
    ++reasons[item.unsupported];
    ++count;
  }
  if (count == 0) return {};
  std::string banner = fmt::format("{} of {} cases are skipped, unsupported here:", count, plan.size());
  for (const auto& [reason, times] : reasons) banner += fmt::format("\n  {:4} {}", times, reason);
  return banner;
}

}  // namespace cudasem
