#include <vector>

#include "case.h"

namespace {

/// A layer as code for any device writes it: where it is, is decided once, by to().
struct Layer {
  Tensor weight = at::arange(6, at::kFloat).reshape({2, 3});
  Tensor bias = at::full({2}, 0.5);

  void to(at::Device device) {
    weight = weight.to(device);
    bias = bias.to(device);
  }
  Tensor operator()(const Tensor& x) const {
    const Tensor shift = x.new_ones({x.size(0), 2});
    return (at::matmul(x, weight.t()) + bias).relu() + shift;
  }
};

}  // namespace

CASE(device_selection, one_source_on_cpu_and_gpu,
     .title = "A layer and its input, moved with to(device) and nothing else, give the same values on the "
              "CPU and a GPU",
     .claims = {"fac.new.keeps-device", "dev.move.no-index-uses-current"}, .isolation = Isolation::shared) {
  std::vector<Tensor> results;
  for (const at::Device device : {at::Device("cpu"), at::Device("cuda")}) {
    Layer layer;
    layer.to(device);
    const Tensor x = at::ones({4, 3}, at::device(device));
    results.push_back(layer(x));
    EXPECT_EQ(results.back().device().type(), device.type());
  }
  expect_equal(results[1].cpu(), results[0]);
}

MISUSE(device_selection, layer_not_moved,
       .title = "A layer whose input alone was moved to the GPU is refused at its first product, not when "
                "it is moved",
       .claims = {"xdev.cpu-gpu.op-error"}, .isolation = Isolation::shared) {
  Layer layer;
  const Tensor x = at::ones({4, 3}, at::device(at::kCUDA));
  if (!wrong) layer.to(x.device());  // without it the weights stay where they were made: on the CPU
  Tensor y;
  const bool ran = attempt("layer", [&] { y = layer(x); });
  if (ran) EXPECT_EQ(y.device(), x.device());
}
