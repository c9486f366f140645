#include <c10/cuda/CUDAEvent.h>

#include "case.h"
#include "support/capture.h"
#include "support/gate.h"

MISUSE(cross_device, copy_while_another_stream_writes,
       .title = "copy_ to another GPU does not wait for a side stream that still writes the source: old "
                "values arrive",
       .claims = {"xdev.copy.auto-sync"},
       .links = {"https://github.com/pytorch/pytorch/issues/27024"},
       .needs = {.gpus = 2}) {
  const auto side = c10::cuda::getStreamFromPool(false, 0);
  Tensor source = gpu_tensor(1), target = at::full({1024}, 0.0, at::Device(at::kCUDA, 1));
  target.copy_(source);  // the first copy turns peer access on
  fill_canary(source);
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(side);
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    source.fill_(2);
  }
  c10::cuda::CUDAEvent written;
  written.record(side);
  if (!wrong) written.block(c10::cuda::getCurrentCUDAStream(0));  // copy_ waits for the current streams alone
  target.copy_(source, /*non_blocking=*/true);
  if (wrong) c10::cuda::getCurrentCUDAStream(1).synchronize();  // the copy is over, and the gate still closed
  gate.open();
  expect_intact(target, 2);
}

MISUSE(cross_device, other_gpu_inside_a_capture,
       .title = "An operation on cuda:1 while cuda:0 is captured runs at once and is silently missing "
                "from the graph",
       .claims = {"cap.fork-join"},
       .needs = {.gpus = 2}) {
  const Tensor x = gpu_tensor(2), other = at::full({1024}, 5.0, at::Device(at::kCUDA, 1));
  Tensor y, other_y = other + other;  // its memory is there before the capture
  const Graph graph = capture([&] {
    y = x * 3;
    if (wrong) at::add_out(other_y, other, other);  // don't: nothing joins cuda:1 to this capture
  });
  fill_canary(y);
  fill_canary(other_y);
  replay(graph);
  if (!wrong) at::add_out(other_y, other, other);
  expect_equal(y, 6);
  expect_intact(other_y, 10);
}

MISUSE(cross_device, event_recorded_on_another_gpu,
       .title = "Recording an event on a stream of another GPU than its first one's is refused; waiting "
                "for it there is not",
       .claims = {"evt.record.same-device-only", "evt.wait.any-device"},
       .needs = {.gpus = 2}) {
  c10::cuda::CUDAEvent event;
  event.record(c10::cuda::getCurrentCUDAStream(0));
  const auto again = c10::cuda::getCurrentCUDAStream(wrong ? 1 : 0);  // don't: use an event for each GPU
  attempt("record", [&] { event.record(again); });
  attempt("block", [&] { event.block(c10::cuda::getCurrentCUDAStream(1)); });
  EXPECT_EQ(event.device_index(), 0);
}
