#include "case.h"
#include "support/gate.h"
#include "support/memory.h"

CASE(streams, call_returns_before_its_work_has_run,
     .title = "An operation returns while its kernel still waits in the stream; synchronize() is what "
              "waits for it",
     .claims = {"async.launch-returns-early", "str.query.meaning", "str.synchronize.blocks-host"},
     .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1);
  const auto stream = c10::cuda::getCurrentCUDAStream();
  stream.synchronize();
  EXPECT_TRUE(stream.query());

  Gate gate;
  gate.hold(stream);
  x.fill_(2);
  EXPECT_FALSE(stream.query());
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);  // not being ready is an answer, not an error
  gate.open();

  stream.synchronize();
  EXPECT_TRUE(stream.query());
  expect_equal(x, 2);
}

CASE(streams, order_within_a_stream,
     .title = "Operations on one stream run in the order in which they were issued, however late they start",
     .claims = {"str.order.within", "async.per-device-order"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(0);
  const auto side = c10::cuda::getStreamFromPool(false);
  const c10::cuda::CUDAStreamGuard on_side(side);
  c10::cuda::device_synchronize();
  x.mul_(2).add_(1);
  side.synchronize();

  Gate gate;
  gate.hold(side);
  x.fill_(0);
  for (int bit = 0; bit < 10; ++bit) x.mul_(2).add_(1);  // in any other order not ten ones in binary
  EXPECT_FALSE(side.query());
  gate.open();
  expect_equal(x, 1023);
}
