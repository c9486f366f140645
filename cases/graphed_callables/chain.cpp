#include <torch/csrc/autograd/autograd.h>

#include "case.h"
#include "support/graphed_callable.h"
#include "support/memory.h"

CASE(graphed_callables, three_in_one_pool,
     .title = "Three callables graphed together, called one after the other, give eager's output and "
              "gradients step for step",
     .claims = {"mgc.tuple.shared-pool", "mgc.tuple.order"}, .isolation = Isolation::shared) {
  std::vector<Tensor> weights;
  for (const double value : {2., 3., 5.}) weights.push_back(gpu_tensor(value).requires_grad_());
  std::vector<ToGraph> layers;
  for (const Tensor& weight : weights)
    layers.push_back({[weight](const Tensor& x) { return (x * weight + 1).relu() * weight; },
                      gpu_tensor(0).requires_grad_(),
                      {weight}});
  const std::vector<Callable> graphed = make_graphed_callables(layers);
  for (const double value : {1., -2., 0.5}) {
    Tensor eager = gpu_tensor(value).requires_grad_(), output = eager;
    for (const auto& layer : layers) eager = layer.function(eager);
    for (const auto& callable : graphed) output = callable(output);
    expect_equal(output, eager);
    const auto eager_gradients = torch::autograd::grad({eager.sum()}, weights);
    const auto gradients = torch::autograd::grad({output.sum()}, weights);
    for (std::size_t i = 0; i < weights.size(); ++i) expect_equal(gradients[i], eager_gradients[i]);
  }
}
