#include "case.h"
#include "support/accounting.h"
#include "support/capture.h"

MISUSE(shared_pool, forward_and_backward_interleaved,
       .title = "Forward and backward graphs of one pool, captured layer by layer, give wrong gradients "
                "when all forwards are replayed first",
       .claims = {"gmem.share.capture-order-safe", "gmem.share.clobbers-outputs"},
       .links = {"https://docs.nvidia.com/dl-cuda-graph/troubleshooting/numerical-errors.html"},
       .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor x = gpu_tensor(3), first, second, first_gradient, second_gradient;
  // What backward needs is saved by forward: x + 1 and x + 2, whose blocks are free after each backward.
  const auto forward = [&](Tensor& saved, double shift) { saved = x + shift; };
  const auto backward = [&](Tensor& gradient, Tensor& saved) {
    gradient.copy_(saved * 2);
    saved.reset();
  };
  first_gradient = gpu_tensor(0);
  second_gradient = gpu_tensor(0);
  const Graph forward_1 = capture(pool, [&] { forward(first, 1); });
  const void* const saved_at = first.data_ptr();
  const Graph backward_1 = capture(pool, [&] { backward(first_gradient, first); });
  const Graph forward_2 = capture(pool, [&] { forward(second, 2); });
  require(second.data_ptr() == saved_at, "both layers save to one block");
  const Graph backward_2 = capture(pool, [&] { backward(second_gradient, second); });

  if (wrong) {
    replay(forward_1, forward_2, backward_1, backward_2);  // don't: capture them in this order, too
  } else {
    replay(forward_1, backward_1, forward_2, backward_2);
  }
  expect_intact(first_gradient, 8);
  expect_intact(second_gradient, 10);
}

MISUSE(shared_pool, graph_added_after_the_first_replays,
       .title = "A graph captured into a pool later gets the blocks of temporaries of the graphs before it: "
                "replaying those overwrites its output",
       .claims = {"gmem.share.order-violated", "gmem.pool.feeds-next"}, .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor x = gpu_tensor(1), first, added;
  const void* temporary = nullptr;
  const Graph serving = capture(pool, [&] {
    const Tensor product = x * 2;
    temporary = product.data_ptr();
    first = product + 1;
  });
  for (int turn = 0; turn < 3; ++turn) replay(serving);
  // don't share the pool of a graph that goes on being replayed by itself
  const Graph late = capture(wrong ? pool : c10::MempoolId_t{0, 0}, [&] { added = x * 10; });
  require((added.data_ptr() == temporary) == wrong, "in one pool the new output has the temporary's block");
  replay(late);
  require_equal(added, 10);
  replay(serving);
  expect_intact(added, 10);
}

CASE(shared_pool, prefix_replayed_again,
     .title = "Starting again from the first graph is safe if all later graphs are replayed before their "
              "outputs are read",
     .claims = {"gmem.share.capture-order-safe", "gmem.share.saves-memory"}, .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor x = gpu_tensor(1), first, second;
  const Graph early = capture(pool, [&] { first = x * 2 + 0; });
  const Graph late = capture(pool, [&] { second = first * 10; });
  for (const double value : {1., 2.}) {
    x.fill_(value);
    replay(early, early, late);
    expect_equal(second, value * 20);
  }
}

CASE(shared_pool, replays_do_not_change_the_allocator,
     .title = "Replays neither take memory nor give any back: all figures of the allocator stay as they "
              "were",
     .claims = {"gmem.replay.no-allocator-change"}, .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor x = gpu_tensor(1), first, second;
  const Graph one = capture(pool, [&] { first = (x * 2 + 1) * 3; });
  const Graph two = capture(pool, [&] { second = (first + 5) * 7; });
  const auto figures = [] {
    const auto stats = device_stats();
    std::vector<std::int64_t> all;
    for (const auto* figure :
         {&stats.allocated_bytes, &stats.reserved_bytes, &stats.active_bytes, &stats.segment})
      all.insert(all.end(), {total(*figure).current, total(*figure).allocated, total(*figure).freed});
    return all;
  };
  const auto before = figures();
  for (int turn = 0; turn < 10; ++turn) replay(one, two);
  c10::cuda::device_synchronize();
  EXPECT_EQ(figures(), before);
}

CASE(shared_pool, every_handle_is_another_pool,
     .title = "graph_pool_handle() gives another pool at each call: graphs with different handles share "
              "nothing",
     .claims = {"gmem.handle.unique"}, .isolation = Isolation::shared) {
  const auto one = at::cuda::graph_pool_handle(), two = at::cuda::graph_pool_handle();
  EXPECT_NE(one, two);
  Tensor x = gpu_tensor(1), first, second;
  const void* temporary = nullptr;
  const Graph early = capture(one, [&] {
    const Tensor product = x * 2;
    temporary = product.data_ptr();
    first = product + 1;
  });
  const Graph late = capture(two, [&] { second = x * 10; });
  EXPECT_NE(second.data_ptr(), temporary);
  replay(late, early);
  expect_equal(second, 10);
  expect_equal(first, 3);
}
