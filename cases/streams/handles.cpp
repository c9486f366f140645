#include <c10/cuda/CUDAException.h>

#include <set>
#include <vector>

#include "case.h"
#include "support/gate.h"
#include "support/memory.h"
#include "support/threads.h"

CASE(streams, stream_packed_and_unpacked,
     .title = "A stream packed into three numbers and unpacked on another thread is the same stream",
     .claims = {"cpp.stream.pack", "cpp.stream.device"}, .isolation = Isolation::shared) {
  const auto side = c10::cuda::getStreamFromPool(true);
  const c10::StreamData3 packed = side.pack3();
  EXPECT_EQ(packed.device_index, side.device_index());
  EXPECT_EQ(packed.stream_id, side.id());
  EXPECT_EQ(side.device(), at::Device(at::kCUDA, 0));
  on_new_thread([&] {
    const auto again =
        c10::cuda::CUDAStream::unpack3(packed.stream_id, packed.device_index, packed.device_type);
    EXPECT_EQ(again, side);
    EXPECT_EQ(again.stream(), side.stream());
    EXPECT_NE(again, c10::cuda::getCurrentCUDAStream());
  });
}

CASE(streams, stream_passed_to_the_runtime,
     .title = "A CUDAStream is taken for its handle by CUDA's own calls, in order with PyTorch's work on it",
     .claims = {"cpp.stream.handle"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1);
  const auto side = c10::cuda::getStreamFromPool(false);
  const c10::cuda::CUDAStreamGuard on_side(side);
  x.add_(1);
  side.synchronize();
  Gate gate;
  gate.hold(side);
  x.fill_(5);
  C10_CUDA_CHECK(cudaMemsetAsync(x.data_ptr(), 0, x.nbytes(), side));
  x.add_(1);
  EXPECT_EQ(cudaStreamQuery(side), cudaErrorNotReady);
  gate.open();
  expect_equal(x, 1);
}

CASE(streams, pool_is_shared_by_threads,
     .title = "All threads share one pool: 32 streams taken on another thread include the one that this one has",
     .claims = {"cpp.pool.global", "cpp.pool.round-robin"}, .isolation = Isolation::shared) {
  const auto mine = c10::cuda::getStreamFromPool(false);
  std::set<cudaStream_t> theirs;
  on_new_thread([&] {
    for (int i = 0; i < 32; ++i) theirs.insert(c10::cuda::getStreamFromPool(false).stream());
  });
  EXPECT_EQ(theirs.size(), 32);
  EXPECT_TRUE(theirs.contains(mine.stream()));
}

CASE(streams, two_threads_on_one_stream,
     .title = "Two threads may enqueue on one stream at once: nothing is lost, and each thread's order is kept",
     .claims = {"cpp.stream.thread-safe"}, .isolation = Isolation::shared) {
  const auto shared = c10::cuda::getStreamFromPool(false);
  Tensor sum = gpu_tensor(0), mine = gpu_tensor(0), theirs = gpu_tensor(0);
  c10::cuda::device_synchronize();
  const auto enqueue = [&](Tensor& own) {
    const c10::cuda::CUDAStreamGuard on_shared(shared);
    for (int i = 0; i < 200; ++i) {
      own.mul_(0).add_(i);
      at::add_out(sum, sum, at::ones({}, sum.options()));
    }
  };
  std::thread other([&] { enqueue(theirs); });
  enqueue(mine);
  other.join();
  shared.synchronize();
  expect_equal(sum, 400);
  expect_equal(mine, 199);
  expect_equal(theirs, 199);
}

CASE(streams, library_calls_follow_the_current_stream,
     .title = "A matrix product, which a library runs, goes to the current stream like any other operation",
     .claims = {"cpp.handles.current-stream"}, .isolation = Isolation::shared) {
  const Tensor x = at::full({64, 64}, 2.0, at::device(at::kCUDA));
  Tensor product = at::empty_like(x);
  const auto outside = c10::cuda::getCurrentCUDAStream(), side = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard on_side(side);
  at::mm_out(product, x, x);  // the library's workspace is allocated once a stream
  fill_canary(product);
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(side);
  at::mm_out(product, x, x);
  EXPECT_FALSE(side.query());
  EXPECT_TRUE(outside.query());
  gate.open();
  expect_equal(product, 256);
}
