// Capturing and replaying, the way most cases need it. Cases about capture_begin and capture_end themselves
// call them in the open instead.
#pragma once

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <memory>

#include "support/memory.h"

namespace cudasem {

/// The stream on which a case captures: one from the pool, the same for the whole process, since blocks of a
/// memory pool are kept apart by stream.
c10::cuda::CUDAStream capture_stream();

/// A captured graph. Owns it; movable, unlike at::cuda::CUDAGraph.
using Graph = std::unique_ptr<at::cuda::CUDAGraph>;

/// Captures what `body` enqueues, into `pool` ({0, 0}: a private one). Waits for the device first, as
/// torch.cuda.graph does. Throws what the capture throws.
template <typename Body>
Graph capture(c10::MempoolId_t pool, Body&& body) {
  auto graph = std::make_unique<at::cuda::CUDAGraph>();
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  graph->capture_begin(pool);
  body();
  graph->capture_end();
  return graph;
}

template <typename Body>
Graph capture(Body&& body) {
  return capture({0, 0}, body);
}

/// Replays on the current stream, in the order given.
template <typename... Graphs>
void replay(const Graphs&... graphs) {
  (graphs->replay(), ...);
}

/// What must still work after a refusal: an eager operation, and a new capture with its replay. Each that
/// does not is recorded, as an error at "eager operation afterwards" or "capture afterwards".
void check_recovery();

}  // namespace cudasem
