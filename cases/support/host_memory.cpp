#include "support/host_memory.h"

#include <c10/cuda/CUDAGuard.h>

#include <chrono>
#include <future>

namespace cudasem {

at::Tensor pinned_tensor(double value) {
  return at::full({1024}, value, at::device(at::kCPU).dtype(at::kFloat).pinned_memory(true));
}

at::Tensor pageable_tensor(double value) {
  return at::full({1024}, value, at::device(at::kCPU).dtype(at::kFloat));
}

bool returns_while_closed(Gate& gate, const std::function<void()>& call) {
  const auto stream = c10::cuda::getCurrentCUDAStream();
  auto returned = std::async(std::launch::async, [&] {
    const c10::cuda::CUDAStreamGuard on_the_same_stream(stream);
    call();
  });
  const bool early = returned.wait_for(std::chrono::milliseconds(500)) == std::future_status::ready;
  gate.open();
  returned.get();
  return early;
}

}  // namespace cudasem
