#include <torch/csrc/autograd/custom_function.h>

#include "case.h"
#include "support/capture.h"

// y = 2 * x, in which weight takes part without a gradient of its own.
struct IgnoresWeight : torch::autograd::Function<IgnoresWeight> {
  static Tensor forward(torch::autograd::AutogradContext*, const Tensor&, const Tensor& x) { return x * 2; }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 torch::autograd::variable_list gradients) {
    return {Tensor(), gradients[0] * 2};
  }
};

OBSERVE(capture, leaf_whose_gradients_are_undefined,
        .title = "A leaf first used on the default stream that gets no gradient in a captured backward: "
                 "whether the last wait of backward crosses into it",
        .claims = {"nv.autograd.accum-default-stream"},
        .links = {"https://github.com/pytorch/pytorch/pull/189591",
                  "https://github.com/pytorch/pytorch/issues/189977"}) {
  const Tensor weight = gpu_tensor(3).requires_grad_(), x = gpu_tensor(2).requires_grad_();
  const Tensor kept = IgnoresWeight::apply(weight, x.detach());
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    IgnoresWeight::apply(weight.detach().requires_grad_(), x).sum().backward();  // x is first used here
    x.mutable_grad().reset();
    graph.capture_begin();
    attempt("backward", [&] { IgnoresWeight::apply(weight, x).sum().backward(); });
    if (attempt("capture_end", [&] { graph.capture_end(); })) {
      graph.replay();
      if (x.grad().defined()) expect_equal(x.grad(), 2);
    }
  }
  graph.reset();
  check_recovery();
}
