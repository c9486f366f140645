// Random numbers on the GPU, as cases about generators need them.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/Generator.h>

#include <cstdint>
#include <optional>

namespace cudasem {

/// 1024 uniform floats on the current GPU, from `generator` (none: the GPU's default one).
at::Tensor gpu_random(const std::optional<at::Generator>& generator = std::nullopt);

/// The default generator of the current GPU, just seeded.
at::Generator default_generator(std::uint64_t seed);

/// A generator for the current GPU, just seeded.
at::Generator own_generator(std::uint64_t seed);

}  // namespace cudasem
