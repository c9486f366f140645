#include "case.h"
#include "support/gate.h"

CASE(streams, stream_guard_of_the_second_gpu,
     .title = "A stream guard for a stream of GPU 1 makes GPU 1 and that stream current, and puts both back",
     .claims = {"cpp.streamguard.sets-both", "cpp.streamguard.restores-both", "cpp.pool.device"},
     .needs = {.gpus = 2}) {
  const auto second = c10::cuda::getStreamFromPool(false, 1);
  EXPECT_EQ(second.device_index(), 1);
  {
    const c10::cuda::CUDAStreamGuard guard(second);
    EXPECT_EQ(c10::cuda::current_device(), 1);
    EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), second);
    EXPECT_EQ(at::ones({4}, at::kCUDA).device().index(), 1);
  }
  EXPECT_EQ(c10::cuda::current_device(), 0);
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(1), c10::cuda::getDefaultCUDAStream(1));
}

MISUSE(streams, set_stream_of_another_gpu,
       .title = "setCurrentCUDAStream() of GPU 1's stream leaves GPU 0 current: the next factory lands on GPU 0",
       .claims = {"cpp.setCurrent.only-stream", "mg.device.own-stream-state"},
       .needs = {.gpus = 2}) {
  const auto second = c10::cuda::getStreamFromPool(false, 1);
  c10::cuda::OptionalCUDAStreamGuard guard;
  if (wrong) {
    c10::cuda::setCurrentCUDAStream(second);  // don't: it changes no device, a stream guard does
  } else {
    guard.reset_stream(second);
  }
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(1), second);
  fact("made_on", std::int64_t{at::ones({4}, at::kCUDA).device().index()});
  if (wrong) c10::cuda::setCurrentCUDAStream(c10::cuda::getDefaultCUDAStream(1));
}

CASE(streams, device_guard_keeps_each_gpus_stream,
     .title = "A device guard changes no stream: each GPU has its own current one, and work goes to it",
     .claims = {"cpp.deviceguard.device-only", "mg.device.own-stream-state"},
     .needs = {.gpus = 2}) {
  const c10::cuda::CUDAStreamGuard on_first(c10::cuda::getStreamFromPool(false, 0));
  const auto second = c10::cuda::getStreamFromPool(false, 1);
  c10::cuda::setCurrentCUDAStream(second);
  {
    const c10::cuda::CUDAGuard guard(1);
    EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), second);
    EXPECT_EQ(c10::cuda::getCurrentCUDAStream(0), on_first.current_stream());
  }
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), on_first.current_stream());
  c10::cuda::setCurrentCUDAStream(c10::cuda::getDefaultCUDAStream(1));
}

CASE(streams, stream_guard_moved_to_another_gpu,
     .title = "reset_stream() to another GPU's stream first undoes the guard: the first GPU's stream is put back",
     .claims = {"cpp.streamguard.reset_stream"},
     .needs = {.gpus = 2}) {
  const auto first = c10::cuda::getStreamFromPool(false, 0), second = c10::cuda::getStreamFromPool(false, 1);
  c10::cuda::CUDAStreamGuard guard(first);
  guard.reset_stream(second);
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(0), c10::cuda::getDefaultCUDAStream(0));
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), second);
  EXPECT_EQ(guard.original_device().index(), 0);
  EXPECT_EQ(guard.current_device().index(), 1);
}
