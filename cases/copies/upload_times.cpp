#include <algorithm>
#include <vector>

#include "case.h"

namespace {

/// Median of 21 uploads, in milliseconds, between two events on the current stream.
double median_upload_ms(Tensor& on_gpu, const Tensor& source) {
  c10::cuda::CUDAEvent before(cudaEventDefault), after(cudaEventDefault);
  std::vector<double> times;
  for (int i = 0; i < 21; ++i) {
    before.record();
    on_gpu.copy_(source, /*non_blocking=*/true);
    after.record();
    after.synchronize();
    times.push_back(before.elapsed_time(after));
  }
  std::nth_element(times.begin(), times.begin() + 10, times.end());
  return times[10];
}

}  // namespace

MEASURE(copies, upload_times,
        .title = "Time of a non_blocking upload from pageable and from pinned memory, by size",
        .claims = {"pin.speed.pinned-faster"}, .isolation = Isolation::exclusive, .time_limit_s = 60) {
  for (const std::int64_t MiB : {1, 16, 256}) {
    const Tensor pageable = at::ones({MiB << 18}), pinned = pageable.pin_memory();
    Tensor on_gpu = pageable.cuda();
    const double from_pageable = median_upload_ms(on_gpu, pageable),
                 from_pinned = median_upload_ms(on_gpu, pinned);
    row("uploads", {{"MiB", MiB},
                    {"pageable_ms", from_pageable},
                    {"pinned_ms", from_pinned},
                    {"pinned_faster_times", from_pageable / from_pinned}});
    expect_equal(on_gpu, 1);
  }
}
