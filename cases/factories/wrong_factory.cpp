#include "case.h"
#include "support/memory.h"

MISUSE(factories, plain_factory_for_a_gpu_tensor,
       .title = "A plain factory inside device-agnostic code works on the CPU, and on a GPU makes the "
                "next operation fail",
       .claims = {"fac.new.keeps-device", "fac.plain.uses-context", "xdev.cpu-gpu.op-error"},
       .isolation = Isolation::shared) {
  const auto shifted = [&](const Tensor& x) {
    const Tensor shift = wrong ? at::ones(x.sizes()) : x.new_ones(x.sizes());  // don't: it lands on the CPU
    return x + shift;
  };
  expect_equal(shifted(at::full({1024}, 2.0)), 3);
  Tensor on_gpu;
  const bool ran = attempt("on a GPU", [&] { on_gpu = shifted(gpu_tensor(2)); });
  if (ran) expect_equal(on_gpu, 3);
}

MISUSE(factories, plain_factory_loses_the_dtype,
       .title = "A plain factory inside code for any dtype makes float32: 16777217 of a double tensor "
                "becomes 16777216",
       .claims = {"fac.new.keeps-dtype", "fac.cpp.option-defaults"},
       .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const Tensor x = at::ones({8}, at::kDouble);
  const Tensor limit =
      wrong ? at::full(x.sizes(), 16777217.0, x.device())  // don't: the dtype is x's business, too
            : x.new_full(x.sizes(), 16777217.0);
  const Tensor limited = x * limit;
  EXPECT_EQ(limited.dtype(), at::kDouble);
  expect_intact(limited, 16777217);
}

MISUSE(factories, fraction_for_an_integer_tensor,
       .title = "new_full and full_like of an integer tensor drop the fraction of the fill value, without "
                "an error",
       .claims = {"fac.new.keeps-dtype", "fac.like.inherits", "fac.new.dtype-override"},
       .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const Tensor counts = at::zeros({8}, at::kLong);
  const auto options =
      wrong ? counts.options() : counts.options().dtype(at::kFloat);  // don't: the dtype stays int64
  const Tensor filled = counts.new_full({8}, 2.5, options), like = at::full_like(counts, 4.5, options);
  expect_intact(filled, 2.5);
  expect_intact(like, 4.5);
}

MISUSE(factories, integer_literal_for_a_float_tensor,
       .title = "at::full with an integer literal makes an int64 tensor, which then refuses a division in "
                "place",
       .claims = {"fac.cpp.option-defaults"},
       .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  Tensor scale =
      wrong ? at::full({8}, 3) : at::full({8}, 3.0);  // don't: at::full takes its dtype from the value
  const bool divided = attempt("div_", [&] { scale.div_(2); });
  expect_equal(scale, divided ? 1.5 : 3);
}

MISUSE(factories, more_elements_than_memory_has_addresses,
       .title = "empty() of more bytes than 64 bits can count is refused before anything is allocated",
       .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const std::int64_t rows = wrong ? std::int64_t{1} << 62 : 4;  // don't: times 8, this is more than 64 bits
  attempt("empty", [&] { EXPECT_EQ(at::empty({rows, 8}).numel(), 32); });
  attempt("new_empty", [&] { EXPECT_EQ(at::ones({1}).new_empty({rows, 8}).numel(), 32); });
}
