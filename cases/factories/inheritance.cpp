#include "case.h"
#include "support/memory.h"

CASE(factories, plain_factories_start_from_defaults,
     .title = "A factory without options gives a dense float32 CPU tensor without gradient, whatever "
              "tensors are around",
     .claims = {"fac.cpp.option-defaults", "fac.default.cpu-initially", "fac.cpp.single-axis-implicit"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  for (const Tensor& made : {at::empty({4}), at::zeros({4}), at::ones({4}), at::rand({4})}) {
    EXPECT_EQ(made.device(), at::Device(at::kCPU));
    EXPECT_EQ(made.dtype(), at::kFloat);
    EXPECT_EQ(made.layout(), at::kStrided);
    EXPECT_FALSE(made.requires_grad());
  }
  EXPECT_EQ(at::ones({4}, at::kDouble).dtype(), at::kDouble);
  EXPECT_EQ(at::ones({4}, at::kDouble).device(), at::Device(at::kCPU));
}

CASE(factories, new_keeps_the_dtype,
     .title = "new_* methods keep the dtype of their tensor, not its gradient, and take another dtype if "
              "one is given",
     .claims = {"fac.new.keeps-dtype", "fac.new.dtype-override", "fac.new.requires_grad-false",
                "fac.new_zeros-ones.values"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  for (const at::ScalarType dtype : {at::kDouble, at::kHalf, at::kLong}) {
    const Tensor source = at::full({2}, 3, dtype);
    for (const Tensor& made : {source.new_empty({4}), source.new_zeros({4}), source.new_ones({4})})
      EXPECT_EQ(made.dtype(), dtype);
    expect_equal(source.new_full({4}, 5), 5);
    EXPECT_EQ(source.new_zeros({4}, at::kInt).dtype(), at::kInt);
  }
  const Tensor learned = at::ones({2}).requires_grad_();
  EXPECT_FALSE(learned.new_ones({2}).requires_grad());
  EXPECT_FALSE(at::ones_like(learned).requires_grad());
}

CASE(factories, new_and_like_keep_the_gpu,
     .title = "new_* and *_like of a CUDA tensor stay on its GPU with its dtype; a device that is given wins",
     .claims = {"fac.new.keeps-device", "fac.like.inherits", "fac.new.device-override", "fac.like.overrides"},
     .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(3).to(at::kHalf);
  for (const Tensor& made : {x.new_empty({4}), x.new_zeros({4}), x.new_full({4}, 2.5), at::empty_like(x),
                             at::zeros_like(x), at::full_like(x, 2.5), at::rand_like(x), at::randn_like(x)}) {
    EXPECT_EQ(made.device(), x.device());
    EXPECT_EQ(made.dtype(), at::kHalf);
  }
  expect_equal(x.new_full({4}, 2.5), 2.5);
  expect_equal(at::ones_like(x) + x, 4);
  EXPECT_EQ(x.new_ones({4}, x.options().device(at::kCPU)).device(), at::Device(at::kCPU));
  EXPECT_EQ(at::zeros_like(x, at::device(at::kCPU)).device(), at::Device(at::kCPU));
}

CASE(factories, zeros_like_is_zeros_with_its_options,
     .title = "zeros_like(x) is zeros() with the sizes and options of x, and a full set of options takes "
              "effect",
     .claims = {"fac.like.equivalence", "fac.cpp.full-options-example"}, .isolation = Isolation::shared) {
  const auto options =
      at::TensorOptions().dtype(at::kDouble).layout(at::kStrided).device(at::kCUDA, 0).requires_grad(true);
  const Tensor x = at::full({3, 4}, 2.0, options);
  EXPECT_EQ(x.dtype(), at::kDouble);
  EXPECT_EQ(x.device(), at::Device(at::kCUDA, 0));
  expect_equal(at::zeros_like(x), at::zeros(x.sizes(), x.options()));
}
