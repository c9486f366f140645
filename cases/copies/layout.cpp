#include "case.h"
#include "support/gate.h"
#include "support/memory.h"

CASE(copies, to_keeps_dtype_and_strides,
     .title = "to(kCUDA) and cpu() keep dtype and dense strides: a channels-last or transposed tensor stays so",
     .claims = {"pin.to.dtype-inherited", "pin.to.memory-format"}, .isolation = Isolation::shared) {
  const Tensor image = at::ones({2, 3, 4, 5}, at::kHalf).contiguous(at::MemoryFormat::ChannelsLast);
  for (const Tensor& host : {image, at::arange(6, at::kLong).reshape({2, 3}).t()}) {
    const Tensor there = host.to(at::kCUDA), back = there.cpu();
    EXPECT_EQ(there.dtype(), host.dtype());
    EXPECT_EQ(there.strides(), host.strides());
    EXPECT_EQ(back.strides(), host.strides());
    expect_equal(back, host);
  }
}

CASE(copies, stepped_slices_across_devices,
     .title = "copy_ between stepped slices of two dtypes writes only the slice, to the GPU and back",
     .claims = {"xdev.copy_.dtype-and-device"}, .isolation = Isolation::shared) {
  Tensor on_gpu = at::full({6, 6}, kCanary, at::device(at::kCUDA).dtype(at::kFloat));
  Tensor host = at::full({6, 6}, kCanary, at::kDouble);
  on_gpu.slice(1, 0, 6, 2).copy_(at::full({12, 6}, 3, at::kInt).slice(0, 0, 12, 2).slice(1, 0, 6, 2));
  expect_equal(on_gpu.slice(1, 0, 6, 2), 3);
  expect_equal(on_gpu.slice(1, 1, 6, 2), kCanary);
  host.slice(0, 1, 6, 2).copy_(on_gpu.slice(1, 0, 6, 2).t());
  expect_equal(host.slice(0, 1, 6, 2), 3);
  expect_equal(host.slice(0, 0, 6, 2), kCanary);
}

CASE(copies, flag_between_gpu_tensors,
     .title = "Between two tensors of one GPU a copy never waits for the host, with non_blocking or without",
     .claims = {"pin.nb.same-side-no-effect"}, .isolation = Isolation::shared) {
  const Tensor source = gpu_tensor(3);
  Tensor with = gpu_tensor(kCanary), without = gpu_tensor(kCanary);
  const auto stream = c10::cuda::getCurrentCUDAStream();
  with.copy_(source, /*non_blocking=*/true);
  fill_canary(with);
  stream.synchronize();
  Gate gate;
  gate.hold(stream);
  without.copy_(source);
  with.copy_(source, /*non_blocking=*/true);
  EXPECT_FALSE(stream.query());
  gate.open();
  expect_equal(without, 3);
  expect_equal(with, 3);
}
