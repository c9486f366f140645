#include <vector>

#include "case.h"
#include "support/memory.h"

CASE(device_selection, every_way_to_a_gpu,
     .title = "cuda(), to() with a device, a type, a string or options, and a factory all give a tensor "
              "on cuda:0",
     .claims = {"dev.alloc.current-device", "dev.move.no-index-uses-current", "dev.torchdevice.tensor-has-index"},
     .isolation = Isolation::shared) {
  const Tensor host = at::full({1024}, 2.0);
  const at::Device gpu(at::kCUDA, 0);
  const std::vector<Tensor> moved = {
      host.cuda(),
      host.to(at::kCUDA),
      host.to(at::Device("cuda:0")),
      host.to(host.options().device(gpu)),
      at::full({1024}, 2.0, at::device(at::kCUDA)),
      at::full({1024}, 2.0, at::device(gpu)),
  };
  for (const Tensor& tensor : moved) {
    EXPECT_EQ(tensor.device(), gpu);
    expect_equal(tensor, 2);
  }
  EXPECT_EQ(host.device(), at::Device(at::kCPU));
}

CASE(device_selection, moving_to_where_it_is_already,
     .title = "cuda() and to() give the same tensor back if it is there already, unless a copy is asked for",
     .claims = {"dev.move.no-index-uses-current", "fac.cpp.to.new-memory", "pin.cuda.same-returns-self"},
     .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  EXPECT_TRUE(x.cuda().is_same(x));
  EXPECT_TRUE(x.to(at::kCUDA).is_same(x));
  EXPECT_TRUE(x.to(x.device(), x.scalar_type()).is_same(x));

  Tensor copy = x.to(x.device(), x.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
  EXPECT_NE(copy.data_ptr(), x.data_ptr());
  copy.fill_(3);
  expect_equal(x, 2);
}
