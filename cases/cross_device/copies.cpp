#include "case.h"
#include "support/memory.h"

CASE(cross_device, copy_changes_device_and_dtype,
     .title = "One copy_ may change device and dtype, and repeat its source over the destination's shape, "
              "either way",
     .claims = {"xdev.copy_.dtype-and-device", "xdev.copy_.broadcast", "xdev.copy_.returns-self"},
     .isolation = Isolation::shared) {
  Tensor half = at::empty({8, 16}, at::device(at::kCUDA).dtype(at::kHalf));
  EXPECT_TRUE(half.copy_(at::full({16}, 2.5, at::kDouble)).is_same(half));
  expect_equal(half, 2.5);

  Tensor integers = at::empty({8, 16}, at::kLong);
  EXPECT_TRUE(integers.copy_(half * 2).is_same(integers));
  expect_equal(integers, 5);
}

CASE(cross_device, copy_on_the_host,
     .title = "copy_ between CPU tensors converts, repeats the source and returns its destination, as it "
              "does across devices",
     .claims = {"xdev.copy_.broadcast", "xdev.copy_.returns-self"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  Tensor into = at::zeros({3, 4}, at::kInt);
  const Tensor from = at::full({4}, 2.75);
  const Tensor& returned = into.copy_(from);
  EXPECT_TRUE(returned.is_same(into));
  EXPECT_EQ(into.dtype(), at::kInt);
  expect_equal(into, 2);
  expect_equal(from, 2.75);
}

MISUSE(cross_device, copy_of_another_shape,
       .title = "copy_ from a shape that does not broadcast is refused, and the destination keeps its values",
       .claims = {"xdev.copy_.broadcast"},
       .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  Tensor into = at::full({2, 4}, 7.0);
  const Tensor from = at::full({8}, 3.0);
  const bool copied = attempt("copy_", [&] {
    into.copy_(wrong ? from : from.view({2, 4}));  // don't: as many elements are not enough
  });
  expect_equal(into, copied ? 3 : 7);
}

MISUSE(cross_device, copy_out_of_a_meta_tensor,
       .title = "copy_ and to() from a meta tensor are refused: it has no values that could be copied",
       .claims = {"xdev.to-cuda.cross-gpu"},
       .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const Tensor from =
      at::full({4}, 2.0, wrong ? at::kMeta : at::kCPU);  // don't: use empty_like() to give it memory
  Tensor into = at::full({4}, 7.0);
  const bool copied = attempt("copy_", [&] { into.copy_(from); });
  expect_equal(into, copied ? 2 : 7);
  attempt("to", [&] { expect_equal(from.to(at::Device("cpu"), at::kDouble), 2); });
}
