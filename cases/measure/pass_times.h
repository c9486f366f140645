// How long one pass over the hot path takes.
#pragma once

#include <cstdint>
#include <functional>

namespace cudasem {

struct PassTimes {
  std::int64_t passes;
  double median_ms;  ///< on the GPU, from an event before the launch of a pass to one after it
  double p10_ms;
  double p90_ms;
  double host_ms;  ///< median time that the host needs to launch a pass
};

/// Runs `pass` 5 times untimed, then `passes` times on the current stream. Each begins on an idle stream:
/// what the host needs until the GPU has something to do is part of a pass, and no pass waits for a full
/// queue.
PassTimes time_passes(std::int64_t passes, const std::function<void()>& pass);

}  // namespace cudasem
