#include "measure/pass_times.h"

#include <c10/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace cudasem {
namespace {

/// The value below which the fraction `q` of `sorted` lies (nearest rank).
double quantile(const std::vector<double>& sorted, double q) {
  return sorted[static_cast<std::size_t>(std::lround(q * static_cast<double>(sorted.size() - 1)))];
}

}  // namespace

PassTimes time_passes(std::int64_t passes, const std::function<void()>& pass) {
  using Clock = std::chrono::steady_clock;
  c10::cuda::CUDAEvent begun(cudaEventDefault), done(cudaEventDefault);  // the default flags record times
  std::vector<double> gpu, host;
  for (int warm = 0; warm < 5; ++warm) pass();
  c10::cuda::getCurrentCUDAStream().synchronize();
  for (std::int64_t timed = 0; timed < passes; ++timed) {
    begun.record();
    const auto start = Clock::now();
    pass();
    host.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    done.record();
    done.synchronize();
    gpu.push_back(begun.elapsed_time(done));
  }
  std::sort(gpu.begin(), gpu.end());
  std::sort(host.begin(), host.end());
  return {passes, quantile(gpu, 0.5), quantile(gpu, 0.1), quantile(gpu, 0.9), quantile(host, 0.5)};
}

}  // namespace cudasem
