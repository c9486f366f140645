#include "support/probe.h"

#include <ATen/ATen.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>
#include <torch/headeronly/version.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

namespace cudasem {
namespace {

/// 13020 → "13.2"
std::string cuda_version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// The kernel driver's own version; empty where there is none.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::smatch found;
  return std::regex_search(line, found, std::regex(R"(\s(\d+\.\d+(\.\d+)?)\s)")) ? found[1].str() : "";
}

/// Allocates, launches a kernel, reads its result, and gives the memory back. Returns what went wrong, or
/// nothing.
std::string check_gpu(int index) {
  try {
    const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(index));
    const auto sum = at::ones({1024}, at::kCUDA).mul_(2).sum().item<float>();
    c10::cuda::CUDACachingAllocator::emptyCache();
    return sum == 2048.F ? "" : "sum of 1024 twos is " + std::to_string(sum);
  } catch (const c10::Error& error) {
    return error.msg();
  }
}

nlohmann::json describe_gpu(int index) {
  cudaDeviceProp properties{};
  const cudaError_t status = cudaGetDeviceProperties(&properties, index);
  const std::string problem = status == cudaSuccess ? check_gpu(index) : cudaGetErrorString(status);
  const std::string name = properties.name;
  return {{"index", index},
          {"name", name},
          {"cc", std::to_string(properties.major) + "." + std::to_string(properties.minor)},
          {"memory_MiB", properties.totalGlobalMem >> 20},
          {"ecc", properties.ECCEnabled != 0},
          {"mig", name.find("MIG") != std::string::npos},
          {"healthy", problem.empty()},
          {"error", problem}};
}

}  // namespace

std::string probe_json() {
  const auto start = std::chrono::steady_clock::now();
  int runtime = 0;
  int driver_api = 0;
  int count = 0;
  (void)cudaRuntimeGetVersion(&runtime);
  (void)cudaDriverGetVersion(&driver_api);
  const cudaError_t status = cudaGetDeviceCount(&count);
  nlohmann::json gpus = nlohmann::json::array();
  for (int index = 0; status == cudaSuccess && index < count; ++index) gpus.push_back(describe_gpu(index));
  const auto elapsed = std::chrono::steady_clock::now() - start;
  return nlohmann::json{{"protocol", 1},
                        {"torch", TORCH_VERSION},
                        {"cuda_build", cuda_version(CUDART_VERSION)},
                        {"cuda_runtime", cuda_version(runtime)},
                        {"driver_api", cuda_version(driver_api)},
                        {"driver", driver_version()},
                        {"gpus", gpus},
                        {"error", status == cudaSuccess ? "" : cudaGetErrorString(status)},
                        {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count()}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace cudasem
