// Which calls of the CUDA runtime a capture bears: a table, whose cells are facts.
#include "support/legality.h"

#include "case.h"

OBSERVE(capture, calls_that_wait_or_ask,
        .title = "Which runtime calls that wait or ask a capture bears, by mode, thread and stream: a table",
        .claims = {"cap.sync.explicit"},
        .links = {"https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html"},
        .isolation = Isolation::shared,
        .time_limit_s = 60) {
  record_legality({
      {"cudaDeviceSynchronize", [](auto&, auto) { return cudaDeviceSynchronize(); }},
      {"cudaStreamSynchronize", [](auto&, auto stream) { return cudaStreamSynchronize(stream); }, true},
      {"cudaStreamQuery", [](auto&, auto stream) { return cudaStreamQuery(stream); }, true},
      {"cudaEventSynchronize of an earlier event",
       [](auto& it, auto) { return cudaEventSynchronize(it.before); }},
      {"cudaEventSynchronize of a captured event",
       [](auto& it, auto) { return cudaEventSynchronize(it.inside); }},
      {"cudaEventQuery of an earlier event", [](auto& it, auto) { return cudaEventQuery(it.before); }},
      {"cudaEventQuery of a captured event", [](auto& it, auto) { return cudaEventQuery(it.inside); }},
      {"cudaEventElapsedTime of earlier events",
       [](auto& it, auto) {
         float ms = 0;
         return cudaEventElapsedTime(&ms, it.before, it.before);
       }},
      {"cudaStreamIsCapturing",
       [](auto&, auto stream) {
         cudaStreamCaptureStatus status{};
         return cudaStreamIsCapturing(stream, &status);
       },
       true},
      {"cudaMemGetInfo",
       [](auto&, auto) {
         std::size_t unused = 0, total = 0;
         return cudaMemGetInfo(&unused, &total);
       }},
      {"cudaPointerGetAttributes",
       [](auto& it, auto) {
         cudaPointerAttributes attributes{};
         return cudaPointerGetAttributes(&attributes, it.device);
       }},
      {"cudaGetDevice",
       [](auto&, auto) {
         int device = 0;
         return cudaGetDevice(&device);
       }},
      {"cudaSetDevice", [](auto&, auto) { return cudaSetDevice(0); }},
  });
}

OBSERVE(capture, calls_about_memory,
        .title = "Which runtime calls that allocate, free or pin memory a capture bears, by mode, thread "
                 "and stream",
        .claims = {"cap.mode.global", "cap.mode.relaxed"},
        .links = {"https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html"},
        .isolation = Isolation::shared,
        .time_limit_s = 60) {
  record_legality({
      {"cudaMalloc",
       [](auto&, auto) {
         void* memory = nullptr;
         return cudaMalloc(&memory, 4096);
       }},
      {"cudaMallocPitch",
       [](auto&, auto) {
         void* memory = nullptr;
         std::size_t pitch = 0;
         return cudaMallocPitch(&memory, &pitch, 64, 64);
       }},
      {"cudaFree", [](auto& it, auto) { return cudaFree(it.to_free); }},
      {"cudaMallocAsync",
       [](auto&, auto stream) {
         void* memory = nullptr;
         return cudaMallocAsync(&memory, 4096, stream);
       },
       true},
      {"cudaFreeAsync of earlier memory",
       [](auto& it, auto stream) { return cudaFreeAsync(it.to_free_async, stream); }, true},
      {"cudaHostAlloc",
       [](auto&, auto) {
         void* memory = nullptr;
         return cudaHostAlloc(&memory, 4096, cudaHostAllocDefault);
       }},
      {"cudaFreeHost", [](auto& it, auto) { return cudaFreeHost(it.to_free_host); }},
      {"cudaHostRegister and cudaHostUnregister",
       [](auto& it, auto) {
         const cudaError_t status = cudaHostRegister(it.pageable, 4096, cudaHostRegisterDefault);
         return status == cudaSuccess ? cudaHostUnregister(it.pageable) : status;
       }},
      {"cudaMemPoolTrimTo",
       [](auto&, auto) {
         cudaMemPool_t pool = nullptr;
         const cudaError_t status = cudaDeviceGetDefaultMemPool(&pool, 0);
         return status == cudaSuccess ? cudaMemPoolTrimTo(pool, 0) : status;
       }},
      {"cudaDeviceGraphMemTrim", [](auto&, auto) { return cudaDeviceGraphMemTrim(0); }},
  });
}

OBSERVE(capture, calls_that_copy_or_set,
        .title = "Which copies and memsets of the runtime a capture bears, by mode, thread, stream and kind "
                 "of memory",
        .claims = {"cap.pageable-copy"},
        .links = {"https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html"},
        .isolation = Isolation::shared,
        .time_limit_s = 60) {
  record_legality({
      {"cudaMemcpy from pageable memory",
       [](auto& it, auto) { return cudaMemcpy(it.device, it.pageable, 4096, cudaMemcpyDefault); }},
      {"cudaMemcpy from pinned memory",
       [](auto& it, auto) { return cudaMemcpy(it.device, it.pinned, 4096, cudaMemcpyDefault); }},
      {"cudaMemcpy to pageable memory",
       [](auto& it, auto) { return cudaMemcpy(it.pageable, it.device, 4096, cudaMemcpyDefault); }},
      {"cudaMemcpy on the device",
       [](auto& it, auto) { return cudaMemcpy(it.device, it.device_source, 4096, cudaMemcpyDefault); }},
      {"cudaMemset", [](auto& it, auto) { return cudaMemset(it.device_source, 0, 4096); }},
      {"cudaMemcpyAsync from pageable memory",
       [](auto& it, auto stream) {
         return cudaMemcpyAsync(it.device, it.pageable, 4096, cudaMemcpyDefault, stream);
       },
       true},
      {"cudaMemcpyAsync from pinned memory",
       [](auto& it, auto stream) {
         return cudaMemcpyAsync(it.device, it.pinned, 4096, cudaMemcpyDefault, stream);
       },
       true},
      {"cudaMemcpyAsync to pageable memory",
       [](auto& it, auto stream) {
         return cudaMemcpyAsync(it.pageable, it.device, 4096, cudaMemcpyDefault, stream);
       },
       true},
      {"cudaMemcpyAsync to pinned memory",
       [](auto& it, auto stream) {
         return cudaMemcpyAsync(it.pinned, it.device, 4096, cudaMemcpyDefault, stream);
       },
       true},
      {"cudaMemcpyAsync on the device",
       [](auto& it, auto stream) {
         return cudaMemcpyAsync(it.device, it.device_source, 4096, cudaMemcpyDefault, stream);
       },
       true},
      {"cudaMemsetAsync",
       [](auto& it, auto stream) { return cudaMemsetAsync(it.device_source, 0, 4096, stream); }, true},
  });
}

OBSERVE(capture, calls_about_streams_and_graphs,
        .title = "Which runtime calls about streams, events, graphs and host functions a capture bears, by "
                 "mode, thread and stream",
        .claims = {"cap.fork-join", "cap.single-capture"},
        .links = {"https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__GRAPH.html"},
        .isolation = Isolation::shared,
        .time_limit_s = 60) {
  record_legality({
      {"cudaStreamCreateWithFlags",
       [](auto&, auto) {
         cudaStream_t made = nullptr;
         return cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
       }},
      {"cudaStreamDestroy of another stream",
       [](auto& it, auto) { return cudaStreamDestroy(it.to_destroy); }},
      {"cudaEventCreate",
       [](auto&, auto) {
         cudaEvent_t made = nullptr;
         return cudaEventCreate(&made);
       }},
      {"cudaEventDestroy of another event",
       [](auto& it, auto) { return cudaEventDestroy(it.event_to_destroy); }},
      {"cudaEventRecord", [](auto& it, auto stream) { return cudaEventRecord(it.before, stream); }, true},
      {"cudaStreamWaitEvent for an earlier event",
       [](auto& it, auto stream) { return cudaStreamWaitEvent(stream, it.before, 0); }, true},
      {"cudaStreamWaitEvent for a captured event",
       [](auto& it, auto stream) { return cudaStreamWaitEvent(stream, it.inside, 0); }, true},
      {"cudaStreamBeginCapture",
       [](auto&, auto stream) { return cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed); }, true},
      {"cudaLaunchHostFunc",
       [](auto&, auto stream) {
         return cudaLaunchHostFunc(
             stream, [](void*) {}, nullptr);
       },
       true},
      {"cudaStreamAddCallback",
       [](auto&, auto stream) {
         return cudaStreamAddCallback(
             stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0);
       },
       true},
      {"cudaGraphInstantiate",
       [](auto& it, auto) {
         cudaGraphExec_t made = nullptr;
         return cudaGraphInstantiate(&made, it.graph, 0);
       }},
      {"cudaGraphLaunch of an earlier graph",
       [](auto& it, auto stream) { return cudaGraphLaunch(it.executable, stream); }, true},
      {"cudaGraphUpload of an earlier graph",
       [](auto& it, auto stream) { return cudaGraphUpload(it.executable, stream); }, true},
      {"cudaDeviceGetAttribute",
       [](auto&, auto) {
         int value = 0;
         return cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0);
       }},
      {"cudaCtxResetPersistingL2Cache", [](auto&, auto) { return cudaCtxResetPersistingL2Cache(); }},
  });
}
