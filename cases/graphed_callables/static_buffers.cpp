#include <torch/csrc/autograd/autograd.h>

#include "case.h"
#include "support/graphed_callable.h"
#include "support/memory.h"

// The gradient of the sum of `output` with respect to `input`, in memory of its own.
static Tensor gradient_of(const Tensor& output, const Tensor& input) {
  return torch::autograd::grad({output.sum()}, {input})[0].clone();
}

MISUSE(graphed_callables, second_forward_before_the_backward,
       .title = "A second forward before the first one's backward silently makes the first gradient that of "
                "the second input",
       .claims = {"mgc.drop-in", "nv.gc.reuse-before-backward"}, .isolation = Isolation::shared) {
  const Tensor one = gpu_tensor(1).requires_grad_(), two = gpu_tensor(2).requires_grad_();
  const Callable square = make_graphed_callable({[](const Tensor& x) { return x * x; }, one});

  Tensor gradient_of_one, gradient_of_two;
  const Tensor first = square(one);
  if (!wrong) gradient_of_one = gradient_of(first, one);
  const Tensor second = square(two);  // replaces what the first forward had saved for its backward
  if (wrong) gradient_of_one = gradient_of(first, one);  // don't: forward, backward, forward, backward
  gradient_of_two = gradient_of(second, two);
  expect_intact(gradient_of_one, 2);
  expect_intact(gradient_of_two, 4);
}

MISUSE(graphed_callables, output_kept_across_calls,
       .title = "An output of a graphed callable is overwritten by the next call; a clone is not",
       .claims = {"mgc.outputs-static"}, .isolation = Isolation::shared) {
  const Callable triple = make_graphed_callable({[](const Tensor& x) { return x * 3; }, gpu_tensor(0)});
  const Tensor first = triple(gpu_tensor(1));
  const Tensor kept = wrong ? first : first.clone();  // don't: all calls write to one buffer
  const Tensor second = triple(gpu_tensor(2));
  expect_intact(kept, 3);
  expect_intact(second, 6);
}

MISUSE(graphed_callables, gradients_accumulated_into_nothing,
       .title = "Accumulating over two backwards is wrong if grad() was undefined before: it is the buffer "
                "that the second one overwrites",
       .claims = {"mgc.backward-graph", "mgc.drop-in"},
       .links = {"https://github.com/pytorch/pytorch/issues/181723"}, .isolation = Isolation::shared) {
  Tensor weight = gpu_tensor(3).requires_grad_();
  const Callable scale =
      make_graphed_callable({[&](const Tensor& x) { return x * weight; }, gpu_tensor(0), {weight}});

  if (!wrong)
    weight.mutable_grad() = at::zeros_like(weight);  // don't leave this out: autograd keeps what it is given
  torch::autograd::backward({scale(gpu_tensor(1)).sum()});
  torch::autograd::backward({scale(gpu_tensor(10)).sum()});
  expect_intact(weight.grad(), 11);
}

MISUSE(graphed_callables, called_in_another_order,
       .title = "Callables graphed together must be called in that order: the first one's temporaries lie "
                "where the second's output does",
       .claims = {"mgc.tuple.order", "mgc.tuple.shared-pool"}, .isolation = Isolation::shared) {
  const void* temporary = nullptr;
  const auto with_temporary = [&](const Tensor& x) {
    const Tensor product = x * 2;
    temporary = product.data_ptr();  // the last run of this is the capture
    return product + 1;
  };
  const auto without = [](const Tensor& x) { return x * 10; };
  const auto graphed = make_graphed_callables({{with_temporary, gpu_tensor(0)}, {without, gpu_tensor(0)}});
  const Tensor x = gpu_tensor(1);

  Tensor first, second;
  if (!wrong) first = graphed[0](x);
  second = graphed[1](x);
  require(second.data_ptr() == temporary, "the second output has the block of the first one's temporary");
  require_equal(second, 10);
  if (wrong) first = graphed[0](x);  // don't: its temporary, 2, overwrites the second output
  expect_intact(first, 3);
  expect_intact(second, 10);
}
