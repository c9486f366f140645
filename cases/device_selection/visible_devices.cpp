#include <c10/cuda/CUDAException.h>

#include <cstdlib>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "case.h"
#include "support/memory.h"
#include "support/new_program.h"

MISUSE(device_selection, visible_devices_set_too_late,
       .title = "CUDA_VISIBLE_DEVICES is read when CUDA starts: set afterwards it is ignored, without an "
                "error",
       .claims = {"env.visible_devices.list", "env.visible_devices.none"}) {
  if (wrong) (void)gpu_tensor(1);  // don't: this starts CUDA, which never reads the variable again
  ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
  fact("gpus_seen", std::int64_t{c10::cuda::device_count()});
}

MISUSE(device_selection, tensor_for_a_hidden_gpu,
       .title = "With an empty CUDA_VISIBLE_DEVICES no GPU is available and asking for one is refused",
       .claims = {"env.visible_devices.list", "dev.is_available.any", "dev.device_count.value"}) {
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_EQ(c10::cuda::device_count(), 0);
  EXPECT_FALSE(at::hasCUDA());
  // don't: ask first, and let code that runs anywhere take its device from the answer
  const at::Device device = wrong || at::hasCUDA() ? at::kCUDA : at::kCPU;
  Tensor x;
  const bool made = attempt("factory", [&] { x = at::full({1024}, 2.0, device); });
  if (made) expect_equal(x * 3, 6);
}

OBSERVE(device_selection, visible_devices_with_a_bad_entry,
        .title = "CUDA_VISIBLE_DEVICES=0,-1,0 shows one GPU: an entry that is not a GPU hides everything "
                 "after it",
        .claims = {"env.visible_devices.list", "dev.visible-truncated"}) {
  ::setenv("CUDA_VISIBLE_DEVICES", "0,-1,0", 1);
  fact("gpus_seen", std::int64_t{c10::cuda::device_count()});
  attempt("cuda:0", [] { expect_equal(gpu_tensor(2) * 3, 6); });
}

CASE(device_selection, visible_devices_renumber,
     .title = "CUDA_VISIBLE_DEVICES=1,0 makes the second GPU cuda:0 and the first one cuda:1",
     .claims = {"env.visible_devices.list"},
     .needs = {.gpus = 2}) {
  ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID",
           1);  // so that the GPUs are counted in the order of their addresses
  ::setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
  ASSERT_EQ(c10::cuda::device_count(), 2);
  char first[32] = "", second[32] = "";
  C10_CUDA_CHECK(cudaDeviceGetPCIBusId(first, sizeof first, 0));
  C10_CUDA_CHECK(cudaDeviceGetPCIBusId(second, sizeof second, 1));
  EXPECT_GT(std::string(first), std::string(second));
  expect_equal(at::full({1024}, 2.0, at::Device(at::kCUDA, 1)) * 3, 6);
}

MISUSE(device_selection, physical_number_after_visible_devices,
       .title = "With CUDA_VISIBLE_DEVICES=1 the second GPU is cuda:0: its physical number, cuda:1, is refused",
       .claims = {"env.visible_devices.list"},
       .needs = {.gpus = 2}) {
  ::setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  const at::Device gpu(at::kCUDA, wrong ? 1 : 0);  // don't: the variable renumbers what it leaves visible
  Tensor x;
  if (attempt("factory", [&] { x = at::full({1024}, 2.0, gpu); })) expect_equal(x * 3, 6);
  EXPECT_EQ(c10::cuda::device_count(), 1);
}

OBSERVE(device_selection, visible_devices_by_uuid,
        .title = "A GPU may be named in CUDA_VISIBLE_DEVICES by the beginning of its UUID; an unknown one hides all",
        .claims = {"env.visible_devices.list"},
        .links = {"https://github.com/pytorch/pytorch/issues/90543"},
        .time_limit_s = 60) {
  cudaDeviceProp properties{};
  C10_CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
  std::ostringstream first_bytes;
  for (int i = 0; i < 4; ++i)
    first_bytes << std::hex << std::setfill('0') << std::setw(2) << (properties.uuid.bytes[i] & 0xff);
  const auto gpus_of = [](const std::string& list) {  // in a program of its own: CUDA reads the variable once
    ::setenv("CUDA_VISIBLE_DEVICES", list.c_str(), 1);
    return static_cast<std::int64_t>(probe_of_a_new_program().at("gpus").size());
  };
  fact("by_the_beginning_of_its_uuid", gpus_of("GPU-" + first_bytes.str()));
  fact("named_twice", gpus_of("0,0"));
  fact("unknown_uuid", gpus_of("GPU-00000000"));
}
