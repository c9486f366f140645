#include "case.h"
#include "support/gate.h"
#include "support/memory.h"

MISUSE(streams, side_stream_reads_without_waiting,
       .title = "A side stream that does not wait for the default stream's write silently reads what was "
                "there before",
       .claims = {"str.race.read-without-wait", "str.race.fixed-by-wait", "str.order.across-none"},
       .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(kCanary), seen = gpu_tensor(0);
  const auto writer = c10::cuda::getCurrentCUDAStream(), side = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent written;
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(writer);
  x.fill_(2);
  written.record(writer);
  if (!wrong) written.block(side);  // without this wait …
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    seen.copy_(x);
  }
  if (wrong) side.synchronize();  // … nothing holds the read back
  gate.open();
  c10::cuda::device_synchronize();
  expect_intact(seen, 2);
}

MISUSE(streams, buffer_refilled_while_it_is_read,
       .title = "Writers must wait for readers, too: a buffer refilled for the next step changes what "
                "this step reads",
       .claims = {"str.order.across-none", "async.side-stream.user"},
       .links = {"https://github.com/sgl-project/sglang/pull/26380"}, .isolation = Isolation::shared) {
  Tensor buffer = gpu_tensor(1), first_step = gpu_tensor(kCanary);
  const auto filler = c10::cuda::getCurrentCUDAStream(), worker = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  c10::cuda::CUDAEvent read;
  Gate gate;
  gate.hold(worker);
  {
    const c10::cuda::CUDAStreamGuard on_worker(worker);
    first_step.copy_(buffer);
    read.record();
  }
  if (!wrong) read.block(filler);  // the filler may go on only when the worker has read
  buffer.fill_(2);                 // for the second step
  if (wrong) filler.synchronize();
  gate.open();
  worker.synchronize();
  expect_intact(first_step, 1);
}

MISUSE(streams, recycled_block_written_without_waiting,
       .title = "A new tensor that a side stream only writes is overwritten by what its recycled memory "
                "had pending",
       .claims = {"str.race.write-only-still-needs-wait", "str.race.write-only-fixed"},
       .isolation = Isolation::shared) {
  Tensor old = gpu_tensor(0);
  const void* const block = old.data_ptr();
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent allocated;
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(c10::cuda::getCurrentCUDAStream());
  old.fill_(1);  // pending when the tensor goes …
  old.reset();
  Tensor fresh = at::empty({1024}, at::device(at::kCUDA).dtype(at::kFloat));
  require(fresh.data_ptr() == block, "the new tensor lies where the old one did");

  allocated.record();
  if (!wrong) allocated.block(side);  // … and only streams that wait for this one come after it
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    fresh.fill_(2);
  }
  if (wrong) side.synchronize();
  gate.open();
  c10::cuda::device_synchronize();
  expect_intact(fresh, 2);
}
