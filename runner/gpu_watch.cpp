#include "gpu_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cudasem {

void GpuWatch::ask(const std::string& cause) {
  if (check_) {
    next_cause_ = cause;
    return;
  }
  check_ = Check{set_.start(probe_spec(built_)), Clock::now() + kProbeLimit, cause};
}

std::vector<GpuWatch::Finding> GpuWatch::look(Clock::time_point now) {
  if (!check_) return {};
  if (!check_->process->ending()) {
    if (now < check_->deadline) return {};
    check_->timed_out = true;
    check_->deadline = Clock::time_point::max();
    check_->process->stop();
    return {};
  }
  const Check done = *std::exchange(check_, {});
  auto result = findings(
      read_probe({*done.process->ending(), done.process->out(), done.process->err(), done.timed_out}),
      done.cause);
  if (!next_cause_.empty()) ask(std::exchange(next_cause_, {}));
  return result;
}

std::vector<GpuWatch::Finding> GpuWatch::findings(const Machine& seen, const std::string& cause) {
  std::vector<Finding> result;
  for (const auto& gpu : machine_.gpus) {
    if (!gpu.healthy || quarantined_.count(gpu.index)) continue;
    const bool well = std::any_of(seen.gpus.begin(), seen.gpus.end(),
                                  [&](const Gpu& g) { return g.index == gpu.index && g.healthy; });
    const std::string why = well || seen.error.empty() ? cause : fmt::format("{}: {}", cause, seen.error);
    result.push_back({gpu.index, well, why});
    if (!well) quarantined_.insert(gpu.index);
  }
  return result;
}

}  // namespace cudasem
