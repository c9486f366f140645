#include "case.h"
#include "support/capture.h"

CASE(shared_pool, replayed_in_capture_order,
     .title = "Three graphs of one pool, each using the one before it, give eager results when replayed in "
              "the order of capture",
     .claims = {"gmem.share.capture-order-safe"}, .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor x = gpu_tensor(1), first, second, third;
  const Graph one = capture(pool, [&] { first = x * 2 + 1; });
  const Graph two = capture(pool, [&] { second = first * 3 + 1; });
  const Graph three = capture(pool, [&] { third = (first + second) * 5; });
  for (const double value : {1., 4., -2.}) {
    x.fill_(value);
    replay(one, two, three);
    expect_equal(first, value * 2 + 1);
    expect_equal(second, value * 6 + 4);
    expect_equal(third, value * 40 + 25);
  }
}

MISUSE(shared_pool, read_after_another_graph_ran,
       .title = "Independent graphs of one pool may run in any order if each output is cloned before the "
                "next replay",
       .claims = {"gmem.share.independent-any-order", "gmem.share.clone-protects",
                  "nv.pool.temp-clobbers-output"},
       .links = {"https://github.com/pytorch/pytorch/pull/166975"}, .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor x = gpu_tensor(1), z = gpu_tensor(2), sum, square;
  const void* temporary = nullptr;
  const Graph with_temporary = capture(pool, [&] {
    const Tensor product = x * 3;
    temporary = product.data_ptr();
    sum = product + 5;
  });
  const Graph without = capture(pool, [&] { square = z * z; });
  require(square.data_ptr() == temporary, "one graph's output has the block of the other's temporary");

  replay(without);
  const Tensor kept = wrong ? square : square.clone();  // don't: the other graph may write there
  replay(with_temporary);
  expect_intact(sum, 8);
  expect_intact(kept, 4);
}

CASE(shared_pool, separate_pools_in_any_order,
     .title = "Graphs with pools of their own never disturb each other, in whatever order they are replayed",
     .claims = {"gmem.private.default", "gmem.private.replays-independent"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1), first, second;
  const Graph one = capture([&] { first = x * 2 + 0; });
  const Graph two = capture([&] { second = x * 10; });
  EXPECT_NE(one->pool(), two->pool());
  replay(two, one);
  expect_equal(first, 2);
  expect_equal(second, 10);
  replay(one, two, one, one);
  expect_equal(first, 2);
  expect_equal(second, 10);
}
