#include "case.h"
#include "support/gate.h"
#include "support/memory.h"

CASE(streams, waiting_back_replaces_record_stream,
     .title = "If the tensor's own stream waits for the side stream, the tensor can be freed and its "
              "block reused at once",
     .claims = {"str.alt.wait-back"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1), seen = gpu_tensor(kCanary);
  const auto own = c10::cuda::getCurrentCUDAStream(), side = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  c10::cuda::CUDAEvent read;
  Gate gate;
  gate.hold(side);
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    seen.copy_(x);
    read.record();
  }
  read.block(own);
  const void* const block = x.data_ptr();
  x.reset();
  Tensor next = gpu_tensor(2);
  require(next.data_ptr() == block, "the block was given out again while the side stream had not read it");
  EXPECT_FALSE(own.query());
  gate.open();
  c10::cuda::device_synchronize();
  expect_equal(seen, 1);
  expect_equal(next, 2);
}

OBSERVE(streams, marked_block_after_the_stream_finished,
        .title = "When a block that record_stream() protected is given out again: documented as not "
                 "deterministic",
        .claims = {"str.record.reuse-time-unspecified", "str.record.after-sync-reusable"},
        .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1);
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(side);
  x.record_stream(side);
  const void* const block = x.data_ptr();
  x.reset();
  const Tensor while_busy = gpu_tensor(2);
  gate.open();
  side.synchronize();
  const Tensor afterwards = gpu_tensor(3);
  fact("while_busy", while_busy.data_ptr() == block ? "the same block" : "another block");
  fact("afterwards", afterwards.data_ptr() == block ? "the same block" : "another block");
}
