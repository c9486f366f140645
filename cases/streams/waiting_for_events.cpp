#include "case.h"
#include "support/gate.h"
#include "support/memory.h"

MISUSE(streams, wait_before_record,
       .title = "A wait on an event that is recorded only later waits for nothing: old values are read",
       .claims = {"cpp.event.block-uncreated", "evt.query"},
       .links = {"https://github.com/sgl-project/sglang/pull/14214"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(kCanary), seen = gpu_tensor(0);
  const auto consumer = c10::cuda::getCurrentCUDAStream(), producer = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  c10::cuda::CUDAEvent produced;
  Gate gate;
  gate.hold(producer);
  if (wrong) produced.block(consumer);  // don't: it was never recorded, so there is nothing to wait for
  {
    const c10::cuda::CUDAStreamGuard on_producer(producer);
    x.fill_(2);
    produced.record();
  }
  if (!wrong) produced.block(consumer);
  seen.copy_(x);
  if (wrong) consumer.synchronize();
  gate.open();
  c10::cuda::device_synchronize();
  expect_intact(seen, 2);
}

CASE(streams, later_record_does_not_move_an_earlier_wait,
     .title = "A stream waits for what was recorded when block() was called; recording the event again "
              "adds nothing",
     .claims = {"str.wait_stream.only-work-so-far"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1);
  const auto recorded_on = c10::cuda::getStreamFromPool(false), waiting = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  c10::cuda::CUDAEvent event;
  event.record(recorded_on);
  event.block(waiting);

  Gate gate;
  gate.hold(recorded_on);
  event.record(recorded_on);
  {
    const c10::cuda::CUDAStreamGuard on_waiting(waiting);
    x.fill_(2);
  }
  waiting.synchronize();
  EXPECT_FALSE(event.query());
  expect_equal(x, 2);
  gate.open();
}

CASE(streams, block_does_not_block_the_host,
     .title = "block() makes a stream wait, not the host: it returns while the event is still pending",
     .claims = {"evt.wait.host-returns", "str.wait_stream.host-returns", "evt.query"},
     .isolation = Isolation::shared) {
  const auto busy = c10::cuda::getStreamFromPool(false), waiting = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent event;
  Gate gate;
  gate.hold(busy);
  event.record(busy);
  event.block(waiting);
  EXPECT_FALSE(event.query());
  EXPECT_FALSE(waiting.query());
  gate.open();
  waiting.synchronize();
  EXPECT_TRUE(event.query());
}

CASE(streams, wait_holds_back_only_later_work,
     .title = "block() leaves alone what the waiting stream was given before",
     .claims = {"str.wait_event.future-only"}, .isolation = Isolation::shared) {
  const auto busy = c10::cuda::getStreamFromPool(false), waiting = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent pending, before, after;
  Gate gate;
  gate.hold(busy);
  pending.record(busy);

  before.record(waiting);
  pending.block(waiting);
  after.record(waiting);
  before.synchronize();
  EXPECT_FALSE(after.query());
  gate.open();
  after.synchronize();
}
