#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include "case.h"
#include "support/graphed_callable.h"
#include "support/memory.h"

// A leaf on the GPU: `value` everywhere, and requires a gradient.
static Tensor leaf(double value) {
  return gpu_tensor(value).requires_grad_();
}

CASE(graphed_callables, outputs_and_gradients_equal_eager,
     .title = "A graphed callable gives the outputs and gradients of the function that it was made from",
     .claims = {"mgc.drop-in", "mgc.backward-graph", "mgc.single-node"}, .isolation = Isolation::shared) {
  const Tensor weight = leaf(3);
  const auto function = [&](const Tensor& x) { return (x * x * weight + x).relu(); };
  const Callable graphed = make_graphed_callable({function, leaf(1), {weight}});
  for (const double value : {1., 2., -4., 0.5}) {
    const Tensor x = leaf(value), gradient = gpu_tensor(value + 1);
    const Tensor eager = function(x);
    const auto eager_gradients = torch::autograd::grad({eager}, {x, weight}, {gradient});
    const Tensor output = graphed(x);
    const auto gradients = torch::autograd::grad({output}, {x, weight}, {gradient});
    expect_equal(output, eager);
    expect_equal(gradients[0], eager_gradients[0]);
    expect_equal(gradients[1], eager_gradients[1]);
  }
}

CASE(graphed_callables, part_of_a_network,
     .title = "One graphed part of a network, with a branch on the GPU's values in the eager rest: all "
              "gradients equal eager's",
     .claims = {"mgc.partial-network", "mgc.backward-graph"}, .isolation = Isolation::shared) {
  const Tensor before = leaf(2), inside = leaf(3), after = leaf(5);
  const auto part = [&](const Tensor& x) { return x * x * inside; };
  const Callable graphed = make_graphed_callable({part, leaf(1), {inside}});
  const auto network = [&](const Callable& middle, const Tensor& x) {
    const Tensor hidden = middle(x * before);
    return hidden.sum().item<float>() > 100 * 1024 ? hidden * after : hidden + after;
  };
  for (const double value : {1., 4.}) {  // one for each branch: 12 and 192 in the middle
    const Tensor x = gpu_tensor(value), ones = gpu_tensor(1);
    const auto eager = torch::autograd::grad({network(part, x)}, {before, inside, after}, {ones});
    const auto gradients = torch::autograd::grad({network(graphed, x)}, {before, inside, after}, {ones});
    for (std::size_t i = 0; i < eager.size(); ++i) expect_equal(gradients[i], eager[i]);
  }
}

CASE(graphed_callables, training_loop_equals_eager,
     .title = "Five steps of gradient descent on a graphed callable: losses and parameters equal eager's "
              "at each step",
     .claims = {"mgc.drop-in", "mgc.backward-graph"}, .isolation = Isolation::shared) {
  const auto linear = [](const Tensor& weight, const Tensor& bias) {
    return [=](const Tensor& x) { return x * weight + bias; };
  };
  const auto train = [](const Callable& model, const std::vector<Tensor>& parameters, double value) {
    const Tensor x = gpu_tensor(value), target = gpu_tensor(1 - value);
    const Tensor loss = (model(x) - target).square().sum();
    torch::autograd::backward({loss});
    const c10::NoGradGuard no_grad;
    for (const Tensor& parameter : parameters) {
      parameter.sub_(parameter.grad(), 0.125);
      parameter.mutable_grad().reset();
    }
    return loss.detach().clone();
  };
  const std::vector<Tensor> parameters{leaf(1), leaf(0)}, eager_parameters{leaf(1), leaf(0)};
  const Callable eager = linear(eager_parameters[0], eager_parameters[1]);
  const Callable graphed =
      make_graphed_callable({linear(parameters[0], parameters[1]), gpu_tensor(0), parameters});
  for (const double value : {1., -1., 2., 0.5, -2.}) {
    const Tensor eager_loss = train(eager, eager_parameters, value);
    expect_equal(train(graphed, parameters, value), eager_loss);
    expect_equal(parameters[0], eager_parameters[0]);
    expect_equal(parameters[1], eager_parameters[1]);
  }
}
