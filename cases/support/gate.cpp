#include "support/gate.h"

#include <c10/cuda/CUDAException.h>
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <chrono>

#include "case.h"

namespace cudasem {
namespace {

using WaitValue = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned);

/// The driver's own function, found at run time: case binaries do not link the driver.
WaitValue wait_value() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  C10_CUDA_CHECK(
      cudaGetDriverEntryPointByVersion("cuStreamWaitValue32", &entry, 12000, cudaEnableDefault, &found));
  require(found == cudaDriverEntryPointSuccess, "the driver has cuStreamWaitValue32");
  return reinterpret_cast<WaitValue>(entry);
}

}  // namespace

Gate::Gate() {
  void* memory = nullptr;
  C10_CUDA_CHECK(cudaHostAlloc(&memory, sizeof(std::uint32_t), cudaHostAllocMapped));
  flag_ = static_cast<volatile std::uint32_t*>(memory);
  *flag_ = 0;
  watchdog_ = std::thread([this] { watch(); });
}

Gate::~Gate() {
  {
    const std::lock_guard lock(mutex_);
    opened_ = true;
    *flag_ = 1;
  }
  opened_changed_.notify_all();
  watchdog_.join();
  (void)cudaFreeHost(const_cast<std::uint32_t*>(flag_));
}

void Gate::hold(const c10::cuda::CUDAStream& stream) {
  void* on_device = nullptr;
  C10_CUDA_CHECK(cudaHostGetDevicePointer(&on_device, const_cast<std::uint32_t*>(flag_), 0));
  const CUresult status =
      wait_value()(stream.stream(), reinterpret_cast<CUdeviceptr>(on_device), 1, CU_STREAM_WAIT_VALUE_GEQ);
  require(status == CUDA_SUCCESS, "the stream accepted the gate");
}

void Gate::open() {
  {
    const std::lock_guard lock(mutex_);
    opened_ = true;
    *flag_ = 1;
  }
  opened_changed_.notify_all();
  require(!expired_, "the gate was still closed when the case opened it");
}

void Gate::watch() {
  std::unique_lock lock(mutex_);
  if (opened_changed_.wait_for(lock, std::chrono::seconds(2), [this] { return opened_; })) return;
  expired_ = true;
  *flag_ = 1;
}

}  // namespace cudasem
