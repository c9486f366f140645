#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>

#include "case.h"

MISUSE(device_selection, parameter_moved_after_its_optimiser_was_made,
       .title = "An optimiser made before weight = weight.to(gpu) updates the CPU original: the weight in use "
                "never changes",
       .claims = {"dev.move.no-index-uses-current"}, .isolation = Isolation::shared) {
  Tensor weight = at::full({1024}, 3.0).requires_grad_();
  const auto move = [&] { weight = weight.detach().to(at::kCUDA).requires_grad_(); };
  if (!wrong) move();  // first move, then tell the optimiser what to update
  torch::optim::SGD optimiser({weight}, /*lr=*/1);
  if (wrong) move();
  weight.sum().backward();
  optimiser.step();
  expect_intact(weight, 2);
}

MISUSE(device_selection, module_moved_after_the_first_step,
       .title = "Module::to(gpu) after a step leaves the optimiser's momentum on the CPU: the next step is refused",
       .claims = {"xdev.cpu-gpu.op-error"}, .isolation = Isolation::shared) {
  torch::nn::Linear layer(4, 1);
  if (!wrong) layer->to(at::kCUDA);  // to() keeps the parameters' identity, but knows no optimiser
  torch::optim::SGD optimiser(layer->parameters(), torch::optim::SGDOptions(0.5).momentum(0.5));
  const auto step = [&] {
    optimiser.zero_grad();
    layer->forward(at::ones({2, 4}, layer->weight.options().requires_grad(false))).sum().backward();
    optimiser.step();
  };
  step();
  layer->to(at::kCUDA);
  const Tensor before = layer->bias.detach().clone();
  const bool stepped = attempt("step", step);
  EXPECT_EQ(layer->bias.equal(before), !stepped);
}

CASE(device_selection, module_moves_in_place,
     .title = "Module::to(gpu) moves the parameters in place: who holds them sees them move; a clone() is apart",
     .claims = {"dev.move.no-index-uses-current"}, .isolation = Isolation::shared) {
  torch::nn::Linear layer(4, 2);
  const Tensor held = layer->weight;
  const auto copy = std::dynamic_pointer_cast<torch::nn::LinearImpl>(layer->clone(at::Device(at::kCUDA, 0)));
  EXPECT_EQ(copy->weight.device(), at::Device(at::kCUDA, 0));
  EXPECT_TRUE(held.is_cpu());
  layer->to(at::kCUDA);
  EXPECT_TRUE(layer->weight.is_same(held));
  EXPECT_TRUE(held.is_cuda());
  const torch::NoGradGuard no_grad;
  copy->weight.fill_(7);
  EXPECT_FALSE(held.eq(7).any().item<bool>());
}
