#include "support/legality.h"

#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>

#include <string>
#include <thread>

#include "case.h"

namespace cudasem {
namespace {

constexpr std::size_t kBytes = 4096;

struct Mode {
  cudaStreamCaptureMode mode;
  const char* name;
};
constexpr Mode kModes[] = {{cudaStreamCaptureModeGlobal, "global"},
                           {cudaStreamCaptureModeThreadLocal, "thread-local"},
                           {cudaStreamCaptureModeRelaxed, "relaxed"}};

enum class Handle { none, capturing, unrelated, legacy };

const char* suffix(Handle handle) {
  switch (handle) {
    case Handle::none:
      return "";
    case Handle::capturing:
      return " on the capturing stream";
    case Handle::unrelated:
      return " on another stream";
    case Handle::legacy:
      return " on the legacy stream";
  }
  return "";
}

cudaStream_t stream_of(const DuringCapture& during, Handle handle) {
  switch (handle) {
    case Handle::capturing:
      return during.capturing;
    case Handle::unrelated:
      return during.unrelated;
    case Handle::none:
    case Handle::legacy:
      return cudaStreamLegacy;
  }
  return cudaStreamLegacy;
}

DuringCapture prepare() {
  DuringCapture it;
  for (cudaStream_t* stream : {&it.capturing, &it.unrelated, &it.to_destroy})
    C10_CUDA_CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  for (cudaEvent_t* event : {&it.before, &it.inside, &it.event_to_destroy})
    C10_CUDA_CHECK(cudaEventCreate(event));
  for (void** memory : {&it.device, &it.device_source, &it.to_free})
    C10_CUDA_CHECK(cudaMalloc(memory, kBytes));
  for (void** memory : {&it.pinned, &it.to_free_host})
    C10_CUDA_CHECK(cudaHostAlloc(memory, kBytes, cudaHostAllocDefault));
  C10_CUDA_CHECK(cudaMallocAsync(&it.to_free_async, kBytes, it.unrelated));
  it.pageable = std::malloc(kBytes);
  C10_CUDA_CHECK(cudaStreamBeginCapture(it.capturing, cudaStreamCaptureModeRelaxed));
  C10_CUDA_CHECK(cudaMemsetAsync(it.device, 0, kBytes, it.capturing));
  C10_CUDA_CHECK(cudaStreamEndCapture(it.capturing, &it.graph));
  C10_CUDA_CHECK(cudaGraphInstantiate(&it.executable, it.graph, 0));
  C10_CUDA_CHECK(cudaEventRecord(it.before, it.unrelated));
  c10::cuda::device_synchronize();
  return it;
}

/// Whatever the call did not free itself; a second time is refused, which harms nothing.
void clean_up(const DuringCapture& it) {
  for (const cudaStream_t stream : {it.capturing, it.unrelated}) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status) != cudaSuccess || status == cudaStreamCaptureStatusNone)
      continue;
    cudaGraph_t graph = nullptr;
    (void)cudaStreamEndCapture(stream, &graph);
  }
  (void)cudaDeviceSynchronize();
  (void)cudaFreeAsync(it.to_free_async, it.unrelated);
  for (void* memory : {it.device, it.device_source, it.to_free}) (void)cudaFree(memory);
  for (void* memory : {it.pinned, it.to_free_host}) (void)cudaFreeHost(memory);
  std::free(it.pageable);
  (void)cudaGraphExecDestroy(it.executable);
  (void)cudaGraphDestroy(it.graph);
  for (const cudaEvent_t event : {it.before, it.inside}) (void)cudaEventDestroy(event);
  for (const cudaStream_t stream : {it.capturing, it.unrelated}) (void)cudaStreamDestroy(stream);
  (void)cudaGetLastError();
}

const char* word(cudaStreamCaptureStatus status) {
  if (status == cudaStreamCaptureStatusActive) return "active";
  return status == cudaStreamCaptureStatusInvalidated ? "invalidated" : "none";
}

/// Whether the stream of a capture that has ended, well or not, can capture again.
bool captures_again(const DuringCapture& it) {
  cudaGraph_t graph = nullptr;
  return cudaStreamBeginCapture(it.capturing, cudaStreamCaptureModeGlobal) == cudaSuccess &&
         cudaMemsetAsync(it.device, 0, kBytes, it.capturing) == cudaSuccess &&
         cudaStreamEndCapture(it.capturing, &graph) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess;
}

std::string cell(const RuntimeCall& call, cudaStreamCaptureMode mode, bool own_thread, Handle handle) {
  DuringCapture it = prepare();
  C10_CUDA_CHECK(cudaStreamBeginCapture(it.capturing, mode));
  C10_CUDA_CHECK(cudaMemsetAsync(it.device, 1, kBytes, it.capturing));
  C10_CUDA_CHECK(cudaEventRecord(it.inside, it.capturing));

  cudaError_t code = cudaSuccess;
  const auto make = [&] {
    code = call.make(it, stream_of(it, handle));
    (void)cudaGetLastError();
  };
  if (own_thread) {
    make();
  } else {
    std::thread(make).join();
  }

  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  (void)cudaStreamIsCapturing(it.capturing, &status);
  cudaGraph_t graph = nullptr;
  const cudaError_t end = cudaStreamEndCapture(it.capturing, &graph);
  if (graph != nullptr) (void)cudaGraphDestroy(graph);
  (void)cudaGetLastError();
  std::string said = "allowed";
  if (code != cudaSuccess || end != cudaSuccess)
    said = std::to_string(code) + ", " + word(status) + ", " + std::to_string(end);
  if (!captures_again(it)) said += ", and no capture afterwards";
  clean_up(it);
  return said;
}

}  // namespace

void record_legality(const std::vector<RuntimeCall>& calls) {
  (void)at::ones({1}, at::kCUDA);  // starts CUDA as PyTorch does
  std::int64_t cells = 0;
  for (const RuntimeCall& call : calls) {
    const std::vector<Handle> handles =
        call.takes_stream ? std::vector{Handle::capturing, Handle::unrelated, Handle::legacy}
                          : std::vector{Handle::none};
    for (const Handle handle : handles)
      for (const auto& [mode, mode_name] : kModes)
        for (const bool own_thread : {true, false}) {
          const std::string key = std::string(call.name) + suffix(handle) + ", " + mode_name +
                                  (own_thread ? ", own thread" : ", another thread");
          mark(key);
          fact(key, cell(call, mode, own_thread, handle));
          ++cells;
        }
  }
  fact("cells", cells);
}

}  // namespace cudasem
