#include "case.h"
#include "support/memory.h"

CASE(factories, new_full_on_cpu_and_gpu,
     .title = "new_full() fills with the value it is given, where its tensor is and in its dtype: CPU, GPU, integers",
     .claims = {"fac.new_full.values", "fac.new.keeps-device"}, .isolation = Isolation::shared) {
  const Tensor on_cpu = at::zeros({2}), on_gpu = gpu_tensor(9),
               integers = at::zeros({2}, on_gpu.options().dtype(at::kLong));
  expect_equal(on_cpu.new_full({1, 3}, 0.25), at::full({1, 3}, 0.25));
  expect_equal(on_gpu.new_full({3, 2}, -5), at::full({3, 2}, -5.0, on_gpu.options()));
  expect_equal(integers.new_full({4}, 7), at::full({4}, 7, integers.options()));
  expect_equal(on_gpu, 9);
}

CASE(factories, new_empty_strided_on_any_source,
     .title = "new_empty_strided() takes dtype from its tensor and strides from the caller, and sizes memory for them",
     .claims = {"fac.new.keeps-dtype"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const Tensor source = at::ones({3}, at::kHalf);
  for (const auto& [strides, elements] : std::vector<std::pair<std::vector<std::int64_t>, std::size_t>>{
           {{4, 1}, 12}, {{1, 3}, 12}, {{0, 1}, 4}, {{1, 1}, 6}, {{8, 2}, 23}}) {
    const Tensor made = source.new_empty_strided({3, 4}, strides);
    EXPECT_EQ(made.dtype(), at::kHalf);
    EXPECT_EQ(made.strides(), at::IntArrayRef(strides));
    EXPECT_EQ(made.storage().nbytes(), elements * sizeof(at::Half));
  }
}

CASE(factories, full_like_dtype,
     .title = "full_like() takes a dtype that is given, else its tensor's, and never the fill value's",
     .claims = {"fac.like.overrides", "fac.like.inherits"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const Tensor half = at::zeros({4}, at::kHalf);
  EXPECT_EQ(at::full_like(half, 1).dtype(), at::kHalf);
  EXPECT_EQ(at::full_like(half, 1, at::kLong).dtype(), at::kLong);
  EXPECT_EQ(at::full_like(at::zeros({4}, at::kLong), 1.5).dtype(), at::kLong);
  EXPECT_EQ(at::full({4}, 1).dtype(), at::kLong);
}

CASE(factories, ranges_on_cpu_and_gpu,
     .title = "arange and linspace with values that floats hold exactly give the same on the CPU and the GPU",
     .claims = {"fac.cpp.device-index-option"}, .isolation = Isolation::shared) {
  const auto on_gpu = at::device(at::kCUDA).dtype(at::kFloat);
  expect_equal(at::arange(-8, 8, 0.25, on_gpu).cpu(), at::arange(-8, 8, 0.25, at::kFloat));
  expect_equal(at::linspace(0, 64, 65, on_gpu).cpu(), at::linspace(0, 64, 65, at::kFloat));
  EXPECT_EQ(at::arange(4, at::device(at::Device(at::kCUDA, 0))).device().index(), 0);
}
