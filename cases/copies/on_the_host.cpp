#include "case.h"
#include "support/host_memory.h"

CASE(copies, non_blocking_between_host_tensors,
     .title = "non_blocking has no effect between two host tensors: the copy is complete when copy_() "
              "returns",
     .claims = {"pin.nb.same-side-no-effect", "xdev.copy_.returns-self"}, .needs = {.gpus = 0},
     .isolation = Isolation::shared) {
  Tensor source = pageable_tensor(1), destination = pageable_tensor(kCanary);
  EXPECT_TRUE(destination.copy_(source, /*non_blocking=*/true).is_same(destination));
  source.fill_(2);
  expect_equal(destination, 1);
}

CASE(copies, to_where_it_already_is,
     .title = "to() and cpu() return the tensor itself if nothing changes, unless a copy is asked for",
     .claims = {"pin.to.same-returns-self", "pin.cpu.same-returns-self", "pin.to.copy-flag"}, .needs = {.gpus = 0},
     .isolation = Isolation::shared) {
  const Tensor x = pageable_tensor(1);
  EXPECT_TRUE(x.to(at::kCPU).is_same(x));
  EXPECT_TRUE(x.to(at::kFloat).is_same(x));
  EXPECT_TRUE(x.cpu().is_same(x));
  EXPECT_FALSE(x.to(at::kDouble).is_same(x));
  const Tensor copy = x.to(at::kCPU, /*non_blocking=*/false, /*copy=*/true);
  EXPECT_NE(copy.data_ptr(), x.data_ptr());
  expect_equal(copy, x);
}
