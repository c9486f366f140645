#include "case.h"

CASE(device_selection, device_strings_name_type_and_index,
     .title = "\"cuda:2\" and (kCUDA, 2) are the same device, \"cuda\" has no index, and none of them "
              "needs a GPU",
     .claims = {"dev.torchdevice.string-forms"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  EXPECT_EQ(at::Device("cuda:0"), at::Device(at::kCUDA, 0));
  EXPECT_EQ(at::Device("cuda:2"), at::Device(at::kCUDA, 2));
  EXPECT_FALSE(at::Device("cuda").has_index());
  EXPECT_NE(at::Device("cuda"), at::Device("cuda:0"));
  EXPECT_FALSE(at::Device("cpu").has_index());
  EXPECT_EQ(at::Device("cuda:2").str(), "cuda:2");
}

MISUSE(device_selection, malformed_device_string,
       .title = "A device string with an unknown type or without a proper index is refused when it is "
                "parsed, GPU or not",
       .claims = {"dev.torchdevice.string-forms"},
       .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  // don't: the type is one of a fixed list, in lower case; the index is a number without sign or leading zero
  attempt("type", [&] { EXPECT_TRUE(at::Device(wrong ? "gpu:0" : "cuda:0").is_cuda()); });
  attempt("no index", [&] { EXPECT_TRUE(at::Device(wrong ? "cuda:" : "cuda").is_cuda()); });
  attempt("negative index", [&] { EXPECT_TRUE(at::Device(wrong ? "cuda:-1" : "cuda:1").is_cuda()); });
  attempt("leading zero", [&] { EXPECT_TRUE(at::Device(wrong ? "cuda:01" : "cuda:1").is_cuda()); });
}

MISUSE(device_selection, index_of_a_device_string_wraps,
       .title = "\"cuda:256\" is accepted and is cuda:0: the index of a device string is cut to 8 bits "
                "without an error",
       .claims = {"dev.torchdevice.string-forms"},
       .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const std::int64_t number = wrong ? 256 : 3;  // don't: at::DeviceIndex is a signed byte, so 127 is the last
  const at::Device device("cuda:" + std::to_string(number));
  fact("asked_for", number);
  fact("index", std::int64_t{device.index()});
}

OBSERVE(device_selection, get_device_of_a_cpu_tensor,
        .title = "get_device() of a CPU tensor gives -1, although it is documented as not supported there",
        .claims = {"dev.get_device.cpu"},
        .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const Tensor host = at::ones({4});
  attempt("get_device", [&] { fact("get_device", std::int64_t{host.get_device()}); });
}
