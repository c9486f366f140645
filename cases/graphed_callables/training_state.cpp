#include <torch/csrc/autograd/autograd.h>

#include "case.h"
#include "support/graphed_callable.h"
#include "support/memory.h"

MISUSE(graphed_callables, running_statistics_moved_by_the_warm_up,
       .title = "Making a graphed callable runs its function three times: a running mean has moved before "
                "the first call, unless it is put back",
       .claims = {"mgc.warmup.default"},
       .links = {"https://github.com/LibreYOLO/libreyolo/pull/671",
                 "https://github.com/NVIDIA/TransformerEngine/pull/869"}, .isolation = Isolation::shared) {
  Tensor mean = at::zeros({32}, at::kCUDA), variance = at::ones({32}, at::kCUDA);
  const Tensor saved_mean = mean.clone();
  const auto normalise = [&](const Tensor& x) {
    return at::batch_norm(x, {}, {}, mean, variance, /*training=*/true, /*momentum=*/0.5, /*eps=*/1,
                          /*cudnn_enabled=*/false);
  };
  const Callable graphed = make_graphed_callable({normalise, at::ones({32, 32}, at::kCUDA)});
  fact("mean_after_making_it", mean[0].item<double>());
  if (!wrong) mean.copy_(saved_mean);  // don't leave this out: the warm-up was no training
  graphed(at::ones({32, 32}, at::kCUDA));
  expect_intact(mean, 0.5);
}

MISUSE(graphed_callables, second_derivative,
       .title = "A graphed callable has no second derivative: asking for a graph of its gradient is refused",
       .claims = {"mgc.no-double-backward"}) {
  const Callable cube =
      make_graphed_callable({[](const Tensor& x) { return x * x * x; }, gpu_tensor(1).requires_grad_()});
  const Tensor x = gpu_tensor(2).requires_grad_();
  const Tensor y = cube(x).sum();
  attempt("gradient", [&] {
    // don't: the captured backward was recorded without a graph of its own
    const Tensor gradient = torch::autograd::grad({y}, {x}, {}, std::nullopt, /*create_graph=*/wrong)[0];
    expect_equal(gradient.detach(), 12);
  });
}

CASE(graphed_callables, hook_on_a_parameter,
     .title = "A hook on a parameter runs at every backward of a graphed callable, after the graph, and can "
              "change the gradient",
     .claims = {"mgc.backward-graph"}, .isolation = Isolation::shared) {
  const Tensor weight = gpu_tensor(3).requires_grad_();
  const Callable scale =
      make_graphed_callable({[&](const Tensor& x) { return x * weight; }, gpu_tensor(0), {weight}});
  int calls = 0;
  weight.register_hook([&](const Tensor& gradient) {
    ++calls;
    return gradient * 10;
  });
  for (const double value : {2., 5.}) {
    weight.mutable_grad().reset();
    torch::autograd::backward({scale(gpu_tensor(value)).sum()});
    expect_equal(weight.grad(), value * 10);
  }
  EXPECT_EQ(calls, 2);
}

MISUSE(graphed_callables, hook_inside_the_function,
       .title = "A hook that the function itself sets is called while the graphs are made, and never by a "
                "call; one on the output is",
       .claims = {"cap.cpu-work-elided"},
       .links = {"https://docs.nvidia.com/dl-cuda-graph/troubleshooting/numerical-errors.html"},
       .isolation = Isolation::shared) {
  int calls = 0;
  const auto count = [&](const Tensor& tensor) { tensor.register_hook([&](const Tensor&) { ++calls; }); };
  const auto function = [&](const Tensor& x) {
    Tensor y = x * 3;
    if (wrong) count(y);  // don't: a hook is code of the host
    return y + 1;
  };
  const Callable graphed = make_graphed_callable({function, gpu_tensor(1).requires_grad_()});
  fact("calls_while_made", std::int64_t{calls});
  calls = 0;
  const Tensor x = gpu_tensor(2).requires_grad_();
  for (int turn = 0; turn < 3; ++turn) {
    const Tensor output = graphed(x);
    if (!wrong) count(output);
    torch::autograd::backward({output.sum()});
  }
  fact("calls_by_three_calls", std::int64_t{calls});
}

CASE(graphed_callables, made_separately_called_in_any_order,
     .title = "Callables that are graphed in calls of their own have pools of their own, and may be called "
              "in any order",
     .claims = {"mgc.tuple.varying-order"}, .isolation = Isolation::shared) {
  const Callable one = make_graphed_callable({[](const Tensor& x) { return x * 2 + 1; }, gpu_tensor(0)});
  const Callable two = make_graphed_callable({[](const Tensor& x) { return x * 10; }, gpu_tensor(0)});
  const Tensor x = gpu_tensor(1);
  const Tensor second = two(x), first = one(x);
  expect_equal(second, 10);
  expect_equal(first, 3);
  one(gpu_tensor(5));
  expect_equal(second, 10);
}

CASE(graphed_callables, nothing_requires_a_gradient,
     .title = "A function of which nothing requires a gradient is graphed without a backward; its outputs "
              "require none",
     .claims = {"mgc.drop-in"},
     .links = {"https://github.com/pytorch/pytorch/issues/124582",
               "https://github.com/pytorch/pytorch/pull/128483"}, .isolation = Isolation::shared) {
  const Tensor weight = gpu_tensor(3);
  const Callable scale =
      make_graphed_callable({[&](const Tensor& x) { return x * weight; }, gpu_tensor(0), {weight}});
  const Tensor output = scale(gpu_tensor(2));
  EXPECT_FALSE(output.requires_grad());
  expect_equal(output, 6);
}
