#include <c10/core/AutogradState.h>
#include <torch/csrc/autograd/autograd.h>

#include <optional>
#include <thread>

#include "case.h"
#include "support/gate.h"
#include "support/memory.h"

CASE(autograd_streams, backward_runs_on_the_forward_stream,
     .title = "Each operation's backward runs on the stream of its forward, not on the one that calls "
              "backward()",
     .claims = {"bwd.op-on-forward-stream"}, .isolation = Isolation::shared) {
  const auto caller = c10::cuda::getCurrentCUDAStream(), side = c10::cuda::getStreamFromPool(false);
  std::optional<c10::cuda::CUDAStream> of_product, of_sum;
  Tensor x = gpu_tensor(3).requires_grad_(), product;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    product = x * 2;
  }
  side.synchronize();
  Tensor sum = product.sum();
  product.register_hook([&](const Tensor&) { of_product = c10::cuda::getCurrentCUDAStream(); });
  sum.register_hook([&](const Tensor&) { of_sum = c10::cuda::getCurrentCUDAStream(); });

  sum.backward();
  EXPECT_TRUE(of_product == side);
  EXPECT_TRUE(of_sum == caller);
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), caller);
  expect_equal(x.grad(), 2);
}

CASE(autograd_streams, callers_stream_waits_for_backward,
     .title = "The stream that called backward() waits for the gradients, also when the forward ran on "
              "another one",
     .claims = {"bwd.grads.same-context-safe", "bwd.apis-covered"},
     .links = {"https://github.com/pytorch/pytorch/pull/54227"}, .isolation = Isolation::shared) {
  Tensor w = gpu_tensor(3).requires_grad_(), seen = gpu_tensor(0), loss;
  const auto caller = c10::cuda::getCurrentCUDAStream(), forward = c10::cuda::getStreamFromPool(false);
  for (int step = 0; step < 3; ++step) {  // the second loads the kernel that adds gradients, the third counts
    c10::cuda::device_synchronize();
    const c10::cuda::CUDAStreamGuard on_forward(forward);
    loss = (w * 2).sum();
    if (step < 2) loss.backward();
  }
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(forward);
  loss.backward();
  seen.copy_(w.grad());
  EXPECT_FALSE(caller.query());
  gate.open();
  expect_equal(seen, 6);
}

CASE(autograd_streams, callers_stream_waits_for_grad,
     .title = "The stream that called autograd::grad() waits for all it returns, also gradients of "
              "intermediate results",
     .claims = {"bwd.apis-covered", "bwd.grads.same-context-safe"},
     .links = {"https://github.com/pytorch/pytorch/pull/60127"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(3).requires_grad_(), of_x = gpu_tensor(0), of_y = gpu_tensor(0), y, loss;
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    y = x * 2;
    loss = (y * 5).sum();
  }
  torch::autograd::grad({loss}, {x, y}, {}, /*retain_graph=*/true);
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(side);
  const auto gradients = torch::autograd::grad({loss}, {x, y});
  of_x.copy_(gradients[0]);
  of_y.copy_(gradients[1]);
  EXPECT_FALSE(c10::cuda::getCurrentCUDAStream().query());
  gate.open();
  expect_equal(of_x, 10);
  expect_equal(of_y, 5);
}

CASE(autograd_streams, branches_on_two_streams,
     .title = "Branches of a forward on two streams are joined by backward(): the sum of both gradients "
              "is complete",
     .claims = {"bwd.parallel-forward.synced"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(3).requires_grad_(), seen = gpu_tensor(0);
  const auto a = c10::cuda::getStreamFromPool(false), b = c10::cuda::getStreamFromPool(false);
  const auto forward = [&] {
    Tensor left, right;
    {
      const c10::cuda::CUDAStreamGuard on_a(a);
      left = x * 2;
    }
    {
      const c10::cuda::CUDAStreamGuard on_b(b);
      right = x * 5;
    }
    c10::cuda::device_synchronize();
    return (left + right).sum();
  };
  c10::cuda::device_synchronize();
  forward().backward();
  x.mutable_grad().reset();
  const Tensor loss = forward();
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(b);  // the gradient of one branch is late
  loss.backward();
  seen.copy_(x.grad());
  EXPECT_FALSE(c10::cuda::getCurrentCUDAStream().query());
  gate.open();
  expect_equal(seen, 7);
}

OBSERVE(autograd_streams, threads_of_backward,
        .title = "Which thread runs the backward of GPU operations: the engine's; without multithreading "
                 "the caller's",
        .claims = {"bwd.op-on-forward-stream"}, .isolation = Isolation::shared) {
  const auto caller = std::this_thread::get_id();
  const auto run = [&](const char* key) {
    Tensor x = gpu_tensor(3).requires_grad_();
    x.register_hook([&](const Tensor&) {
      fact(key, std::this_thread::get_id() == caller ? "the caller's" : "the engine's");
    });
    (x * 2).sum().backward();
    expect_equal(x.grad(), 2);
  };
  auto& state = c10::AutogradState::get_tls_state();
  run("thread");
  state.set_multithreading_enabled(false);
  run("thread_without_multithreading");
  state.set_multithreading_enabled(true);
}
