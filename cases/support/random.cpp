#include "support/random.h"

#include <ATen/cuda/CUDAGeneratorImpl.h>

namespace cudasem {

at::Tensor gpu_random(const std::optional<at::Generator>& generator) {
  return at::rand({1024}, generator, at::device(at::kCUDA).dtype(at::kFloat));
}

at::Generator default_generator(std::uint64_t seed) {
  at::Generator generator = at::cuda::detail::getDefaultCUDAGenerator();
  generator.set_current_seed(seed);
  return generator;
}

at::Generator own_generator(std::uint64_t seed) {
  at::Generator generator = at::cuda::detail::createCUDAGenerator();
  generator.set_current_seed(seed);
  return generator;
}

}  // namespace cudasem
