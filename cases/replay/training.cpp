#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>

#include "case.h"
#include "support/accounting.h"
#include "support/capture.h"

// A leaf on the GPU: `value` everywhere, and requires a gradient.
static Tensor parameter(double value) {
  return gpu_tensor(value).requires_grad_();
}

// One step of gradient descent on the square error of weight * x.
static void descend(torch::optim::Optimizer& optimizer, const Tensor& weight, const Tensor& x) {
  optimizer.zero_grad(/*set_to_none=*/false);
  (weight * x - 1).square().sum().backward();
  optimizer.step();
}

CASE(replay, whole_training_step,
     .title = "A whole training step, forward, loss, backward and SGD, can be one graph: after each replay "
              "the weight is eager's",
     .claims = {"rep.training-step", "rep.repeatable"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(0);
  const Tensor weight = parameter(1), eager_weight = parameter(1);
  torch::optim::SGD optimizer({weight}, 0.125), eager_optimizer({eager_weight}, 0.125);
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard on_capture_stream(capture_stream());
    descend(optimizer, weight, x);  // with x = 0 a step that changes nothing: the warm-up
  }
  const Graph graph = capture([&] { descend(optimizer, weight, x); });
  expect_equal(weight, 1);
  for (const double value : {1., 0.5, 2., -1.}) {
    x.fill_(value);
    replay(graph);
    descend(eager_optimizer, eager_weight, x);
    expect_equal(weight, eager_weight);
  }
}

CASE(replay, gradients_refilled,
     .title = "If grad() was undefined at the capture, a replay overwrites the gradient in the graph's own "
              "memory: no zero_grad() between replays",
     .claims = {"rep.training.no-zero-grad", "rep.training.grads-none-first"},
     .needs = {.caching = true}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2);
  const Tensor weight = parameter(3);
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard on_capture_stream(capture_stream());
    (weight * x).sum().backward();
  }
  weight.mutable_grad().reset();
  const Graph graph = capture([&] { (weight * x).sum().backward(); });
  EXPECT_EQ(segment_of(weight.grad()).owner_private_pool_id, graph->pool());
  for (const double value : {2., 5., 7.}) {
    x.fill_(value);
    replay(graph);
    expect_equal(weight.grad(), value);
  }
}

MISUSE(replay, learning_rate_changed,
       .title = "A learning rate set after the capture has no effect: the graph's step holds the old one; a "
                "rate on the GPU can change",
       .claims = {"cap.cpu-work-elided", "nv.frozen.optimizer-step"}, .isolation = Isolation::shared) {
  const Tensor weight = parameter(10);
  Tensor rate_on_gpu = at::full({}, 1.F, at::kCUDA);
  torch::optim::SGD optimizer({weight}, /*lr=*/1);
  weight.mutable_grad() = gpu_tensor(1);
  const Graph graph = capture([&] {
    const c10::NoGradGuard no_grad;
    if (wrong) {
      optimizer.step();  // don't: the rate is a number of the host
    } else {
      weight.sub_(weight.grad() * rate_on_gpu);
    }
  });
  replay(graph);
  require_equal(weight.detach(), 9);
  optimizer.param_groups()[0].options().set_lr(4);
  rate_on_gpu.fill_(4);
  replay(graph);
  expect_intact(weight.detach(), 5);
}

MISUSE(replay, adam_step_captured,
       .title = "A captured step of libtorch's Adam corrects for the step count of the capture at every "
                "replay; outside the graph it counts on",
       .claims = {"cap.cpu-work-elided", "nv.frozen.optimizer-step"}, .isolation = Isolation::shared) {
  const Tensor weight = parameter(0);
  // With a constant gradient and these betas each right step is 8.
  torch::optim::Adam adam({weight}, torch::optim::AdamOptions(8).betas({0.5, 0}).eps(0));
  Tensor gradient = gpu_tensor(1);
  weight.mutable_grad() = gpu_tensor(1);
  adam.step();  // the first step, eagerly
  c10::cuda::device_synchronize();
  const Graph graph = capture([&] {
    weight.mutable_grad().copy_(gradient);
    if (wrong) adam.step();  // don't: the second step, for ever
  });
  for (int step = 2; step <= 3; ++step) {
    replay(graph);
    if (!wrong) adam.step();
  }
  expect_intact(weight.detach().round(), -24);
}
