#include <ATen/cuda/CUDAContext.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "case.h"
#include "support/memory.h"

/// "GPU-…" of some GPU of this machine, as the driver's files tell it without starting CUDA; empty if they do
/// not.
static std::string uuid_of_a_gpu() {
  std::error_code none;
  for (const auto& gpu : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", none)) {
    std::ifstream information(gpu.path() / "information");
    for (std::string word; information >> word;) {
      if (word.starts_with("GPU-")) return word;
    }
  }
  return "";
}

OBSERVE(device_selection, visible_device_by_uuid,
        .title = "CUDA_VISIBLE_DEVICES also takes the first characters of a GPU's UUID, and shows that GPU as cuda:0",
        .claims = {"env.visible_devices.list"},
        .links = {"https://docs.nvidia.com/cuda/cuda-programming-guide/05-appendices/environment-variables.html"}) {
  const std::string uuid = uuid_of_a_gpu();
  if (uuid.empty()) skip_unsupported("the driver's files do not tell the UUID of a GPU here");
  setenv("CUDA_VISIBLE_DEVICES", uuid.substr(0, 16).c_str(), 1);
  fact("gpus_seen", std::int64_t{c10::cuda::device_count()});
  attempt("cuda:0", [&] {
    expect_equal(gpu_tensor(2) * 3, 6);
    char digits[3] = "";
    std::snprintf(digits, sizeof digits, "%02x",
                  static_cast<unsigned char>(at::cuda::getDeviceProperties(0)->uuid.bytes[0]));
    EXPECT_EQ(uuid.substr(4, 2), digits);
  });
}
