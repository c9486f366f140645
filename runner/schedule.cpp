#include "schedule.h"

#include <algorithm>
#include <numeric>

namespace cudasem {

Schedule::Limits Schedule::Limits::from(int jobs, int gpus, int cores) {
  if (jobs <= 0) return {std::max(gpus, std::clamp(cores, 1, 8)), 1};
  return {jobs, gpus == 0 ? 1 : std::max(1, (jobs + gpus - 1) / gpus)};
}

Schedule::Schedule(std::vector<Item> items, const std::vector<int>& gpus, Limits limits)
    : items_(std::move(items)), pending_(items_.size()), limits_(limits) {
  std::iota(pending_.begin(), pending_.end(), size_t{0});
  for (int gpu : gpus) load_[gpu] = 0;
}

size_t Schedule::add(Item item) {
  const auto first_alone =
      std::find_if(pending_.begin(), pending_.end(), [&](size_t index) { return items_[index].alone; });
  items_.push_back(item);
  pending_.insert(item.alone ? pending_.end() : first_alone, items_.size() - 1);
  return items_.size() - 1;
}

std::optional<std::vector<int>> Schedule::slots_for(const Item& item) const {
  std::vector<int> free;
  if (item.gpus == 0) return free;
  if (held_) return {};
  for (const auto& [gpu, load] : load_)
    if (load < limits_.on_a_gpu) free.push_back(gpu);
  if (static_cast<int>(free.size()) < item.gpus) return {};
  std::stable_sort(free.begin(), free.end(), [&](int a, int b) { return load_.at(a) < load_.at(b); });
  free.resize(item.gpus);
  std::sort(free.begin(), free.end());
  return free;
}

std::optional<Schedule::Start> Schedule::next() {
  if (closed_ || alone_runs_ || running_ >= limits_.total) return {};
  for (size_t i = 0; i < pending_.size(); ++i) {
    const Item& item = items_[pending_[i]];
    if (item.alone && (i > 0 || running_ > 0)) return {};  // it waits for all before it
    auto slots = slots_for(item);
    if (!slots) continue;
    Start start{pending_[i], *slots};
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    for (int gpu : start.gpus) ++load_[gpu];
    ++running_;
    alone_runs_ = item.alone;
    return start;
  }
  return {};
}

void Schedule::finished(const Start& start) {
  --running_;
  if (items_[start.item].alone) alone_runs_ = false;
  for (int gpu : start.gpus)
    if (load_.count(gpu)) --load_[gpu];
}

void Schedule::quarantine(int gpu) {
  load_.erase(gpu);
}

std::vector<size_t> Schedule::take_stranded() {
  auto stranded = [&](size_t index) { return items_[index].gpus > static_cast<int>(load_.size()); };
  std::vector<size_t> taken;
  std::copy_if(pending_.begin(), pending_.end(), std::back_inserter(taken), stranded);
  std::erase_if(pending_, stranded);
  return taken;
}

}  // namespace cudasem
