#include "case.h"
#include "support/gate.h"
#include "support/memory.h"

CASE(streams, external_stream_is_wrapped,
     .title = "A stream made outside PyTorch can be made current: operations go to it, under its own handle",
     .claims = {"str.external.wraps", "cpp.external.wrap-example"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1);
  cudaStream_t handle = nullptr;
  require(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking) == cudaSuccess, "a stream of our own");
  const auto external = c10::cuda::getStreamFromExternal(handle, c10::cuda::current_device());
  EXPECT_EQ(external.stream(), handle);
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard on_external(external);
    EXPECT_EQ(c10::cuda::getCurrentCUDAStream().stream(), handle);
    Gate gate;
    gate.hold(external);
    x.fill_(2);
    EXPECT_EQ(cudaStreamQuery(handle), cudaErrorNotReady);
    gate.open();
    expect_equal(x, 2);
  }
  EXPECT_EQ(cudaStreamDestroy(handle), cudaSuccess);
}

MISUSE(streams, external_stream_destroyed_too_early,
       .title = "Freeing a tensor that was marked for an external stream, after that stream was "
                "destroyed, is fatal",
       .claims = {"str.external.lifetime"},
       .links = {"https://github.com/pytorch/pytorch/pull/66941"}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(1);
  cudaStream_t handle = nullptr;
  require(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking) == cudaSuccess, "a stream of our own");
  x.record_stream(c10::cuda::getStreamFromExternal(handle, c10::cuda::current_device()));
  c10::cuda::device_synchronize();

  if (wrong) cudaStreamDestroy(handle);  // don't: the allocator asks the stream when the tensor is freed
  attempt("free", [&] { x.reset(); });
  if (!wrong) cudaStreamDestroy(handle);
  attempt("allocation afterwards", [&] { expect_equal(gpu_tensor(2), 2); });
}
