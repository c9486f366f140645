#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include "case.h"
#include "support/capture.h"
#include "support/graphed_callable.h"
#include "support/memory.h"

MISUSE(graphed_callables, parameter_replaced,
       .title = "A parameter that is replaced instead of updated in place leaves the graphs with the old one",
       .claims = {"mgc.module.frozen-structure", "cap.same-addresses"}, .isolation = Isolation::shared) {
  Tensor weight = gpu_tensor(3).requires_grad_();
  const Callable scale =
      make_graphed_callable({[&](const Tensor& x) { return x * weight; }, gpu_tensor(0), {weight}});
  require_equal(scale(gpu_tensor(2)), 6);

  if (wrong) {
    weight = gpu_tensor(5).requires_grad_();  // don't: the graphs hold the address of the old tensor
  } else {
    const c10::NoGradGuard no_grad;
    weight.copy_(gpu_tensor(5));
  }
  expect_intact(scale(gpu_tensor(2)), 10);
}

MISUSE(graphed_callables, input_of_another_shape,
       .title = "An input of another shape than the sample is refused by the copy to the static input; "
                "calls go on",
       .claims = {"mgc.call.same-format", "cap.dynamic-shapes"}, .isolation = Isolation::shared) {
  const Callable triple = make_graphed_callable({[](const Tensor& x) { return x * 3; }, gpu_tensor(0)});
  const Tensor input = at::full({wrong ? 2048 : 1024}, 2.F, at::kCUDA);  // don't: a graph has one shape
  attempt("call", [&] { expect_equal(triple(input), 6); });
  expect_equal(triple(gpu_tensor(4)), 12);
}

OBSERVE(graphed_callables, input_that_broadcasts,
        .title = "An input of one row, which broadcasts to the sample's shape, gives an output of the "
                 "sample's shape",
        .claims = {"mgc.call.same-format"}, .isolation = Isolation::shared) {
  const Callable triple = make_graphed_callable({[](const Tensor& x) { return x * 3; }, gpu_tensor(0)});
  attempt("call", [&] {
    const Tensor output = triple(at::full({1}, 2.F, at::kCUDA));
    fact("rows", output.size(0));
    expect_equal(output, 6);
  });
}

MISUSE(graphed_callables, sample_without_requires_grad,
       .title = "If the sample did not require a gradient, an input that does silently gets none",
       .claims = {"mgc.sample_args.requires_grad"}, .isolation = Isolation::shared) {
  const Tensor weight = gpu_tensor(3).requires_grad_();
  const Tensor sample =
      gpu_tensor(0).requires_grad_(!wrong);  // don't: give the sample what the inputs will have
  const Callable scale =
      make_graphed_callable({[&](const Tensor& x) { return x * weight; }, sample, {weight}});

  const Tensor x = gpu_tensor(2).requires_grad_();
  torch::autograd::backward({scale(x).sum()});
  expect_intact(weight.grad(), 2);
  const Tensor gradient = x.grad().defined() ? x.grad() : at::zeros_like(x);  // none: shown as zeros
  expect_intact(gradient, 3);
}

MISUSE(graphed_callables, parameter_that_is_not_used,
       .title = "A parameter that the output does not depend on is refused while the callable is made",
       .claims = {"mgc.unused.default-error"}, .isolation = Isolation::shared) {
  const Tensor used = gpu_tensor(3).requires_grad_(), unused = gpu_tensor(4).requires_grad_();
  std::vector<Tensor> parameters{used};
  if (wrong) parameters.push_back(unused);  // don't: autograd has no gradient for it
  Callable scale;
  const bool made = attempt("make_graphed_callable", [&] {
    scale = make_graphed_callable({[&](const Tensor& x) { return x * used; }, gpu_tensor(0), parameters});
  });
  if (made) expect_equal(scale(gpu_tensor(2)), 6);
}

MISUSE(graphed_callables, reads_a_value_on_the_host,
       .title = "A function that reads a value on the host survives its warm-up and is refused in its "
                "capture",
       .claims = {"mgc.constraints-apply", "cap.sync.item"}, .isolation = Isolation::right_shared) {
  const auto normalise = [wrong](const Tensor& x) {
    const Tensor largest = x.max();
    return wrong ? x / largest.item<float>() : x / largest;  // don't: keep the value on the GPU
  };
  Callable graphed;
  const bool made = attempt("make_graphed_callable", [&] {
    graphed = make_graphed_callable({normalise, gpu_tensor(1)});
  });
  if (made) {
    expect_equal(graphed(gpu_tensor(4)), 1);
  } else {
    cudaGraph_t abandoned = nullptr;  // the exception left the stream capturing
    (void)cudaStreamEndCapture(capture_stream(), &abandoned);
    (void)cudaGetLastError();
  }
}
