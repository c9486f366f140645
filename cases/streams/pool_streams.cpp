#include <algorithm>

#include "case.h"
#include "support/gate.h"
#include "support/memory.h"

CASE(streams, thirty_third_stream_is_the_first,
     .title = "The pool has 32 streams: the 33rd is the first again, and so has to wait for the first "
              "one's work",
     .claims = {"cpp.pool.round-robin", "cpp.pool.shared-stream-serial"},
     .links = {"https://github.com/pytorch/pytorch/pull/9938"}, .isolation = Isolation::shared) {
  std::vector<c10::cuda::CUDAStream> streams;
  for (int i = 0; i < 33; ++i) streams.push_back(c10::cuda::getStreamFromPool(false));
  for (int i = 1; i < 32; ++i) EXPECT_NE(streams[i].stream(), streams[0].stream()) << "stream " << i;
  EXPECT_EQ(streams[32].stream(), streams[0].stream());

  Gate gate;
  gate.hold(streams[0]);
  EXPECT_FALSE(streams[32].query());
  EXPECT_TRUE(streams[1].query());
  gate.open();
}

CASE(streams, priorities_are_clamped,
     .title = "No priority is refused: one outside the range becomes the nearest inside it, and lower is "
              "more urgent",
     .claims = {"str.priority.clamped", "str.priority.lower-is-higher", "cpp.priority-range",
                "cpp.pool.high-priority"},
     .links = {"https://github.com/pytorch/pytorch/pull/143849"}, .isolation = Isolation::shared) {
  const auto [least, greatest] = c10::cuda::CUDAStream::priority_range();
  EXPECT_EQ(least, 0);
  EXPECT_LE(greatest, -1);
  fact("greatest", std::int64_t{greatest});

  for (int priority = greatest - 5; priority <= 5; ++priority) {
    const auto stream = c10::cuda::getStreamFromPool(priority);
    EXPECT_EQ(stream.priority(), std::clamp(priority, greatest, least)) << "asked for " << priority;
  }
  EXPECT_EQ(c10::cuda::getStreamFromPool(false).priority(), least);
  EXPECT_LT(c10::cuda::getStreamFromPool(true).priority(), least);
}

CASE(streams, default_stream_does_not_wait_for_pool_streams,
     .title = "The default stream runs past a busy pool stream, and waits for one made with "
              "cudaStreamCreate()",
     .claims = {"str.order.across-none", "str.external.wraps"},
     .links = {"https://docs.nvidia.com/cuda/cuda-runtime-api/stream-sync-behavior.html"},
     .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1);
  const auto default_stream = c10::cuda::getDefaultCUDAStream(), pool = c10::cuda::getStreamFromPool(false);
  cudaStream_t handle = nullptr;
  require(cudaStreamCreate(&handle) == cudaSuccess, "a stream that synchronises with the default stream");
  const auto blocking = c10::cuda::getStreamFromExternal(handle, c10::cuda::current_device());
  c10::cuda::device_synchronize();
  {
    Gate gate;
    gate.hold(pool);
    x.fill_(2);
    default_stream.synchronize();
    EXPECT_FALSE(pool.query());
    gate.open();
  }
  Gate gate;
  gate.hold(blocking);
  x.fill_(3);
  EXPECT_FALSE(default_stream.query());
  gate.open();
  expect_equal(x, 3);
  cudaStreamDestroy(handle);
}
