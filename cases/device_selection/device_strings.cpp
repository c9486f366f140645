#include "case.h"

CASE(device_selection, device_strings_name_type_and_index,
     .title = "\"cuda:2\" and (kCUDA, 2) are the same device, \"cuda\" has no index, and none of them needs a GPU",
     .claims = {"dev.torchdevice.string-forms"},
     .needs = {.gpus = 0}) {
  EXPECT_EQ(at::Device("cuda:0"), at::Device(at::kCUDA, 0));
  EXPECT_EQ(at::Device("cuda:2"), at::Device(at::kCUDA, 2));
  EXPECT_FALSE(at::Device("cuda").has_index());
  EXPECT_NE(at::Device("cuda"), at::Device("cuda:0"));
  EXPECT_FALSE(at::Device("cpu").has_index());
  EXPECT_EQ(at::Device("cuda:2").str(), "cuda:2");
}
