#include <torch/csrc/autograd/autograd.h>
#include <torch/version.h>

#include <cstdio>
#include <cstdlib>

#include "case.h"
#include "support/graphed_callable.h"
#include "support/memory.h"

// Prints what torch.cuda.make_graphed_callables gives for the numbers of the case below, a number a line;
// ends with 3 if torch is of another release.
static constexpr const char* kScript = R"python(
import sys
import torch

if torch.__version__.split("+")[0] != sys.argv[1]:
    sys.exit(3)

class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((1024,), 3.0, device="cuda"))

    def forward(self, x):
        return (x * x * self.weight + x).relu()

def leaf(value):
    return torch.full((1024,), value, device="cuda", requires_grad=True)

def show(*tensors):
    for tensor in tensors:
        print(repr(tensor.flatten()[0].item()))

module = Scale()
weight = module.weight
graphed = torch.cuda.make_graphed_callables(module, (leaf(1.0),))
for value in (1.0, 2.0, -0.5, 0.25):
    x = leaf(value)
    loss = (graphed(x) - 1).square().sum()
    loss.backward()
    show(loss, x.grad, weight.grad)
    with torch.no_grad():
        weight -= weight.grad * 0.0078125
    weight.grad = None

square = torch.cuda.make_graphed_callables(lambda x: x * x, (leaf(1.0),))
one, two = leaf(1.0), leaf(2.0)
first = square(one)
second = square(two)
show(first, second)
show(torch.autograd.grad(first.sum(), one)[0], torch.autograd.grad(second.sum(), two)[0])
)python";

// What the script prints; nothing if there is no Python with torch of this release.
static std::vector<double> numbers_of_python() {
  const std::string release = std::to_string(TORCH_VERSION_MAJOR) + "." +
                              std::to_string(TORCH_VERSION_MINOR) + "." + std::to_string(TORCH_VERSION_PATCH);
  ::setenv("CUDASEM_SCRIPT", kScript, 1);
  // Python has a libtorch of its own, and must not find this one's.
  const std::string command =
      "env -u LD_LIBRARY_PATH python3 -c \"$CUDASEM_SCRIPT\" " + release + " 2>/dev/null";
  FILE* python = ::popen(command.c_str(), "r");
  require(python != nullptr, "a shell was started");
  std::vector<double> numbers;
  for (double number = 0; std::fscanf(python, "%lf", &number) == 1;) numbers.push_back(number);
  return ::pclose(python) == 0 ? numbers : std::vector<double>();
}

OBSERVE(graphed_callables, agrees_with_python,
        .title = "torch.cuda.make_graphed_callables of Python gives the numbers of the C++ one here: "
                 "losses, gradients, and what misuse gets",
        .claims = {"mgc.drop-in", "mgc.outputs-static"},
        .time_limit_s = 120) {
  const std::vector<double> python = numbers_of_python();
  if (python.empty()) skip_unsupported("no python3 that imports torch of this release");
  const auto leaf = [](double value) { return gpu_tensor(value).requires_grad_(); };
  std::vector<double> here;
  const auto show = [&](const Tensor& tensor) {
    here.push_back(tensor.detach().flatten()[0].item<double>());
  };

  const Tensor weight = leaf(3);
  const Callable graphed = make_graphed_callable(
      {[&](const Tensor& x) { return (x * x * weight + x).relu(); }, leaf(1), {weight}});
  for (const double value : {1.0, 2.0, -0.5, 0.25}) {
    const Tensor x = leaf(value), loss = (graphed(x) - 1).square().sum();
    torch::autograd::backward({loss});
    for (const Tensor& tensor : {loss, x.grad(), weight.grad()}) show(tensor);
    const c10::NoGradGuard no_grad;
    weight.sub_(weight.grad() * 0.0078125);
    weight.mutable_grad().reset();
  }
  const Callable square = make_graphed_callable({[](const Tensor& x) { return x * x; }, leaf(1)});
  const Tensor one = leaf(1), two = leaf(2), first = square(one), second = square(two);
  for (const Tensor& tensor : {first, second}) show(tensor);
  show(torch::autograd::grad({first.sum()}, {one})[0]);
  show(torch::autograd::grad({second.sum()}, {two})[0]);

  EXPECT_EQ(here, python);
  fact("numbers_compared", static_cast<std::int64_t>(here.size()));
}
