// A function whose forward and backward run as CUDA graphs inside autograd:
// torch.cuda.make_graphed_callables, which libtorch does not have. Its promises and its pitfalls are those of
// the Python function.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <vector>

namespace cudasem {

using Callable = std::function<at::Tensor(const at::Tensor&)>;

/// What is to be graphed: a function of one tensor, an example of its input, and every tensor that it uses
/// beside the input and that needs a gradient.
struct ToGraph {
  Callable function;
  at::Tensor sample;
  std::vector<at::Tensor> parameters = {};
};

/// Captures each function's forward, in order, then each one's backward, in the opposite order, all into one
/// pool: the order in which they must be called, too. Each function runs three times eagerly before, on the
/// stream of the captures.
///
/// A call copies its input to a static buffer and replays; its output is a static buffer, overwritten by the
/// next call, and so are the gradients that its backward hands to autograd. The graphs live as long as the
/// callable or an output's autograd graph does. Throws what the captures throw.
std::vector<Callable> make_graphed_callables(const std::vector<ToGraph>& all);

/// The same for one function, with a pool of its own.
Callable make_graphed_callable(const ToGraph& one);

}  // namespace cudasem
