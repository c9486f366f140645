#include <c10/cuda/CUDAException.h>

#include <cstdlib>

#include "case.h"
#include "support/memory.h"

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
