#include "support/put_back.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace cudasem {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

/// Runs one step; what it throws, or an error that CUDA returns, is dirt.
template <typename Step>
void attempt_step(const char* what, std::vector<std::string>& dirt, Step&& step) {
  try {
    step();
  } catch (const c10::Error& error) {
    dirt.push_back(std::string(what) + ": " + error.msg().substr(0, 300));
  } catch (const std::exception& error) {
    dirt.push_back(std::string(what) + ": " + error.what());
  }
}

void look_for_captures(std::vector<std::string>& dirt) {
  for (const auto stream : {c10::cuda::getCurrentCUDAStream(), c10::cuda::getDefaultCUDAStream()}) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream.stream(), &status) != cudaSuccess ||
        status != cudaStreamCaptureStatusNone)
      dirt.emplace_back("a capture goes on");
  }
}

void put_back_device(c10::DeviceIndex device) {
  c10::cuda::setCurrentCUDAStream(c10::cuda::getDefaultCUDAStream(device));
  at::Generator generator = at::cuda::detail::getDefaultCUDAGenerator(device);
  generator.set_current_seed(c10::default_rng_seed_val);
  generator.set_offset(0);
  allocator::setMemoryFraction(1.0, device);
  allocator::resetAccumulatedStats(device);
  allocator::resetPeakStats(device);
}

struct Bytes {
  std::int64_t allocated = 0, reserved = 0;
};

Bytes bytes_in_use() {
  Bytes bytes;
  constexpr auto all = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  for (c10::DeviceIndex device = 0; device < c10::cuda::device_count(); ++device) {
    const auto stats = allocator::getDeviceStats(device);
    bytes.allocated += stats.allocated_bytes[all].current;
    bytes.reserved += stats.reserved_bytes[all].current;
  }
  return bytes;
}

}  // namespace

FreshState::FreshState()
    : environment_(environment()),
      host_seed_(c10::default_rng_seed_val),
      fills_uninitialized_(at::globalContext().deterministicFillUninitializedMemory()) {}

void FreshState::put_back_host() {
  for (const auto& [name, value] : environment())
    if (environment_.count(name) == 0) unsetenv(name.c_str());
  for (const auto& [name, value] : environment_) setenv(name.c_str(), value.c_str(), 1);
  c10::GradMode::set_enabled(true);
  at::globalContext().setDeterministicAlgorithms(false, false);
  at::globalContext().setDeterministicFillUninitializedMemory(fills_uninitialized_);
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  generator.set_current_seed(host_seed_);
}

void FreshState::put_back_gpus(std::vector<std::string>& dirt) {
  attempt_step("captures", dirt, [&] { look_for_captures(dirt); });
  (void)cudaGetLastError();
  if (const cudaError_t status = cudaDeviceSynchronize(); status != cudaSuccess)
    dirt.push_back(std::string("the GPU cannot be waited for: ") + cudaGetErrorString(status));
  if (!dirt.empty()) return;  // every further call would say the same
  attempt_step("devices", dirt, [&] {
    for (c10::DeviceIndex device = c10::cuda::device_count(); device-- > 0;) {
      c10::cuda::set_device(device);
      if (!c10::cuda::hasPrimaryContext(device)) continue;
      put_back_device(device);
      c10::cuda::device_synchronize();
    }
    c10::cuda::set_device(0);
  });
  attempt_step("memory", dirt, [&] {
    at::cuda::clearCublasWorkspaces();
    at::getHostAllocator(at::kCUDA)->empty_cache();
    allocator::emptyCache();
    compare_memory(dirt);
  });
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess)
    dirt.push_back(std::string("an error is left: ") + cudaGetErrorString(status));
}

void FreshState::compare_memory(std::vector<std::string>& dirt) {
  const Bytes now = bytes_in_use();
  if (now.allocated != allocated_)
    dirt.push_back(std::to_string(now.allocated - allocated_) + " bytes of GPU memory are still allocated");
  if (now.reserved != reserved_)
    dirt.push_back(std::to_string(now.reserved - reserved_) + " bytes of GPU memory are still reserved");
}

std::vector<std::string> FreshState::put_back() {
  std::vector<std::string> dirt;
  attempt_step("host state", dirt, [&] { put_back_host(); });
  if (c10::InferenceMode::is_enabled()) dirt.emplace_back("inference mode is on");
  if (allocator::get()->initialized()) put_back_gpus(dirt);
  return dirt;
}

}  // namespace cudasem
