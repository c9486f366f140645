#include "case.h"
#include "support/gate.h"
#include "support/memory.h"
#include "support/threads.h"

CASE(streams, stream_guards_restore_step_by_step,
     .title = "Leaving a stream guard makes current what was current before it, also when one stream is "
              "entered twice",
     .claims = {"cpp.streamguard.restores-both", "cpp.streamguard.accessors"},
     .isolation = Isolation::shared) {
  const auto before = c10::cuda::getCurrentCUDAStream();
  const auto a = c10::cuda::getStreamFromPool(false), b = c10::cuda::getStreamFromPool(false);
  {
    const c10::cuda::CUDAStreamGuard outer(a);
    {
      const c10::cuda::CUDAStreamGuard inner(b);
      EXPECT_EQ(inner.original_stream(), a);
      EXPECT_EQ(inner.current_stream(), b);
      {
        const c10::cuda::CUDAStreamGuard again(a);
        EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), a);
      }
      EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), b);
    }
    EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), a);
  }
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), before);
}

CASE(streams, operations_go_to_the_current_stream,
     .title = "After setCurrentCUDAStream() operations go to that stream, and the default stream stays idle",
     .claims = {"cpp.setCurrent.ops-use-it", "str.ctx.kernels-go-there", "str.default.is-current"},
     .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1);
  const auto before = c10::cuda::getCurrentCUDAStream(), side = c10::cuda::getStreamFromPool(false);
  EXPECT_EQ(before, c10::cuda::getDefaultCUDAStream());
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(side);
  c10::cuda::setCurrentCUDAStream(side);
  x.fill_(2);
  c10::cuda::setCurrentCUDAStream(before);
  EXPECT_FALSE(side.query());
  EXPECT_TRUE(before.query());
  expect_equal(x, 1);
  gate.open();
  side.synchronize();
  expect_equal(x, 2);
}

MISUSE(streams, new_thread_starts_on_the_default_stream,
       .title = "A new thread is on the default stream whatever its parent chose: it silently reads old "
                "values",
       .claims = {"cpp.current.thread-local"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(kCanary), seen = gpu_tensor(0);
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard on_side(side);
  Gate gate;
  gate.hold(side);
  x.fill_(2);
  on_new_thread([&] {
    const auto inherited =
        c10::cuda::getCurrentCUDAStream();  // don't: nothing is inherited, pass the stream on
    const c10::cuda::CUDAStreamGuard guard(wrong ? inherited : side);
    seen.copy_(x);
    if (wrong) inherited.synchronize();
  });
  gate.open();
  c10::cuda::device_synchronize();
  expect_intact(seen, 2);
}

CASE(streams, multi_stream_guard,
     .title = "CUDAMultiStreamGuard sets a stream on each device, keeps the device, and restores what was "
              "current",
     .claims = {"cpp.multiguard.streams-only", "cpp.multiguard.restores"}, .needs = {.gpus = 2}) {
  const c10::cuda::CUDAStreamGuard earlier(c10::cuda::getStreamFromPool(false, 0));
  const auto on_0 = c10::cuda::getStreamFromPool(false, 0), on_1 = c10::cuda::getStreamFromPool(false, 1);
  {
    const c10::cuda::CUDAMultiStreamGuard guard({on_0, on_1});
    EXPECT_EQ(c10::cuda::getCurrentCUDAStream(0), on_0);
    EXPECT_EQ(c10::cuda::getCurrentCUDAStream(1), on_1);
    EXPECT_EQ(c10::cuda::current_device(), 0);
  }
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(0), earlier.current_stream());
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(1), c10::cuda::getDefaultCUDAStream(1));
}

MISUSE(streams, cuda_stream_from_a_cpu_stream,
       .title = "A CPU stream cannot be taken for a CUDA stream: the conversion is refused, without "
                "touching CUDA",
       .claims = {"cpp.stream.checked-ctor", "cpp.streamguard.non-cuda"}, .needs = {.gpus = 0},
       .isolation = Isolation::shared) {
  const auto device = wrong ? at::Device(at::kCPU) : at::Device(at::kCUDA, 0);  // don't: not a CUDA device
  const c10::Stream stream(c10::Stream::DEFAULT, device);
  attempt("CUDAStream", [&] { EXPECT_EQ(c10::cuda::CUDAStream{stream}.device_index(), 0); });
}
