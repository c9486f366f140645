// What CUDA's runtime calls meet during a capture: the cells of a table of calls, capture modes, threads and
// streams, as facts of a case.
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>
#include <vector>

namespace cudasem {

/// What a call may use. All of it was made before the capture began, but `inside`.
struct DuringCapture {
  cudaStream_t capturing = nullptr;  ///< of its own, not blocking
  cudaStream_t unrelated = nullptr;  ///< not part of the capture
  cudaEvent_t before = nullptr;      ///< recorded on `unrelated`, and complete
  cudaEvent_t inside = nullptr;      ///< recorded in the capture
  void* device = nullptr;            ///< 4096 bytes each
  void* device_source = nullptr;
  void* pinned = nullptr;
  void* pageable = nullptr;
  void* to_free = nullptr;        ///< from cudaMalloc
  void* to_free_async = nullptr;  ///< from cudaMallocAsync on `unrelated`
  void* to_free_host = nullptr;   ///< from cudaHostAlloc
  cudaStream_t to_destroy = nullptr;
  cudaEvent_t event_to_destroy = nullptr;
  cudaGraph_t graph = nullptr;  ///< one memset node
  cudaGraphExec_t executable = nullptr;
};

struct RuntimeCall {
  std::string_view name;
  cudaError_t (*make)(DuringCapture&, cudaStream_t);  ///< what it makes it leaves to the end of the process
  bool takes_stream = false;  ///< then it is made on the capturing, an unrelated and the legacy stream
};

/// Makes each call in captures of their own: in global, thread-local and relaxed mode, from the thread of the
/// capture and from another one. One fact a cell, such as "cudaMalloc, global, own thread": `allowed`, or the
/// error, what the capture is after it, and how it ended ("900, invalidated, 901"). The fact `cells` counts
/// them.
void record_legality(const std::vector<RuntimeCall>& calls);

}  // namespace cudasem
