#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include "case.h"
#include "support/graphed_callable.h"
#include "support/memory.h"

MISUSE(graphed_callables, made_under_autocast,
       .title = "A callable made under autocast has its backward recorded under autocast, too: gradients "
                "lose precision that eager ones keep",
       .claims = {"mgc.backward-graph"},
       .links = {"https://github.com/pytorch/pytorch/issues/120930"}, .isolation = Isolation::shared) {
  // 1 + 2^-12 is a float, and no half.
  const Tensor weight = at::eye(32, at::kCUDA) * (1 + 1.0 / 4096);
  const auto function = [&](const Tensor& x) {
    const bool was = at::autocast::is_autocast_enabled(at::kCUDA);
    at::autocast::set_autocast_enabled(at::kCUDA, false);  // this product is to be computed in full
    const Tensor y = at::mm(x, weight);
    at::autocast::set_autocast_enabled(at::kCUDA, was);
    return y;
  };
  at::autocast::set_autocast_cache_enabled(false);
  at::autocast::set_autocast_enabled(at::kCUDA, wrong);  // don't: eagerly, backward() runs outside of it
  const Callable graphed = make_graphed_callable({function, at::ones({32, 32}, at::kCUDA).requires_grad_()});
  at::autocast::set_autocast_enabled(at::kCUDA, false);
  at::autocast::set_autocast_cache_enabled(true);

  const Tensor x = at::ones({32, 32}, at::kCUDA).requires_grad_();
  const Tensor gradient = torch::autograd::grad({graphed(x).sum()}, {x})[0];
  expect_intact((gradient - 1) * 4096, 1);
}
