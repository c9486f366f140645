#include <c10/cuda/CUDAException.h>

#include "case.h"
#include "support/capture.h"
#include "support/torch_compat.h"

MISUSE(capture, legacy_stream_beside_a_blocking_stream,
       .title = "While a blocking stream captures, work on the legacy stream is refused and loses the "
                "capture; pool streams do not block",
       .claims = {"cap.no-other-work"},
       .links = {"https://docs.nvidia.com/cuda/cuda-programming-guide/"},
       .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(2), y = gpu_tensor(3);
  cudaStream_t stream = nullptr;
  // don't: cudaStreamCreate makes a stream that the legacy one waits for
  C10_CUDA_CHECK(cudaStreamCreateWithFlags(&stream, wrong ? cudaStreamDefault : cudaStreamNonBlocking));
  c10::cuda::device_synchronize();
  at::cuda::CUDAGraph graph;
  {
    const c10::cuda::CUDAStreamGuard capturing(c10::cuda::getStreamFromExternal(stream, x.get_device()));
    graph.capture_begin();
    x.fill_(4);
    attempt("work on the default stream", [&] {
      const c10::cuda::CUDAStreamGuard on_default(c10::cuda::getDefaultCUDAStream());
      y.fill_(5);
    });
    if (attempt("capture_end", [&] { graph.capture_end(); })) {
      graph.replay();
      expect_equal(x, 4);
      expect_equal(y, 5);
    }
  }
  check_recovery();
}

OBSERVE(capture, first_matrix_product_of_the_process,
        .title = "A matrix product in a capture whose library was never used, or used in another dtype only",
        .claims = {"cap.warmup.side-stream"},
        .links = {"https://github.com/pytorch/pytorch/issues/99397",
                  "https://github.com/sgl-project/sglang/pull/20949"}) {
  const Tensor a = at::full({64, 64}, 1.F, at::kCUDA), half = a.to(at::kHalf);
  const auto product = [](const char* label, const Tensor& matrix) {
    at::cuda::CUDAGraph graph;
    Tensor y;
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    c10::cuda::device_synchronize();
    graph.capture_begin();
    attempt(label, [&] { y = at::mm(matrix, matrix); });
    if (!attempt("capture_end", [&] { graph.capture_end(); })) return;
    graph.replay();
    expect_equal(y, 64);
  };
  product("first of all", a);
  product("first of its dtype", half);
}

MISUSE(capture, leaf_first_used_on_the_default_stream,
       .title = "backward() in a capture is refused if a kept graph from the default stream holds the "
                "leaf's accumulation; without one it is captured",
       .claims = {"nv.autograd.accum-default-stream"},
       .links = {"https://github.com/pytorch/pytorch/pull/166136"}, .isolation = Isolation::right_shared) {
  const Tensor weight = gpu_tensor(3).requires_grad_(), x = gpu_tensor(2);
  Tensor kept = (weight * 1).sum();
  if (!wrong) kept.reset();  // don't keep it: autograd would accumulate on the stream that it was made on
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    const bool differentiated = attempt("backward", [&] { (weight * x).sum().backward(); });
    if (attempt("capture_end", [&] { graph.capture_end(); })) {
      graph.replay();
      if (differentiated) expect_equal(weight.grad(), 2);
    }
  }
  kept.reset();
  graph.reset();
  check_recovery();
}

OBSERVE(capture, stale_leaf_stream_redirected,
        .title = "With setOverrideStaleCaptureStream() a leaf first used on the default stream may be "
                 "differentiated in a capture",
        .claims = {"nv.autograd.accum-default-stream"},
        .needs = {.features = {"redirects_stale_streams"}}, .isolation = Isolation::shared) {
  const Tensor weight = gpu_tensor(3).requires_grad_(), x = gpu_tensor(2);
  const Tensor kept = (weight * 1).sum();
  redirect_stale_streams(at::globalContext(), true);
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    attempt("backward", [&] { (weight * x).sum().backward(); });
    if (attempt("capture_end", [&] { graph.capture_end(); })) {
      graph.replay();
      expect_equal(weight.grad(), 2);
    }
  }
  redirect_stale_streams(at::globalContext(), false);
}
