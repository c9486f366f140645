#include <vector>

#include "case.h"

CASE(device_selection, device_type_and_string_are_interchangeable,
     .title = "Factories and to() take a device, its type or its string alike, on any backend, and without a GPU",
     .claims = {"dev.device-arg.equivalents"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  for (const auto& [type, name] :
       std::vector<std::pair<at::DeviceType, std::string>>{{at::kCPU, "cpu"}, {at::kMeta, "meta"}}) {
    const at::Device device(type);
    EXPECT_EQ(at::Device(name), device);
    EXPECT_EQ(at::empty({4}, name == "cpu" ? at::kCPU : at::kMeta).device(), device);
    EXPECT_EQ(at::empty({4}, at::device(at::Device(name))).device(), device);
    EXPECT_EQ(at::ones({4}).to(type).device(), device);
    EXPECT_EQ(at::ones({4}).to(at::Device(name)).device(), device);
  }
}

OBSERVE(device_selection, second_cpu,
        .title = "\"cpu:1\" is accepted where it is parsed and where a tensor is made, although there is one CPU",
        .claims = {"dev.torchdevice.string-forms"},
        .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const at::Device second("cpu:1");
  Tensor made;
  attempt("factory", [&] { made = at::ones({4}, second); });
  fact("asked_for", second.str());
  fact("made_on", made.defined() ? made.device().str() : "nothing");
  attempt("add", [&] { expect_equal(made + at::ones({4}), 2); });
}
