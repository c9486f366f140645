#include "support/threads.h"

#include "case.h"
#include "support/capture.h"

MISUSE(capture, allocation_on_another_thread,
       .title = "During a global-mode capture another thread's cudaMalloc is refused and the capture is "
                "lost; thread-local mode allows it",
       .claims = {"cap.mode.thread_local", "nv.mode.global-other-thread"},
       .links = {"https://github.com/pytorch/pytorch/pull/188832",
                 "https://github.com/vllm-project/vllm/pull/48053"}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(2), y, other;
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    // don't: the default mode forbids calls such as cudaMalloc to every thread of the process
    graph.capture_begin({0, 0}, wrong ? cudaStreamCaptureModeGlobal : cudaStreamCaptureModeThreadLocal);
    y = x * 3;
    attempt("allocation on another thread", [&] {
      on_new_thread([&] { other = at::empty({16 << 20}, x.options()); });  // 64 MiB: no cached block fits
    });
    if (attempt("capture_end", [&] { graph.capture_end(); })) {
      fill_canary(y);
      graph.replay();
      expect_equal(y, 6);
    }
  }
  check_recovery();
}
