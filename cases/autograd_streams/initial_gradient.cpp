#include "case.h"
#include "support/gate.h"
#include "support/memory.h"

MISUSE(autograd_streams, initial_gradient_from_another_stream,
       .title = "An initial gradient made on another stream than backward()'s is read before it is "
                "written, silently",
       .claims = {"bwd.initgrad.outside-unsafe", "bwd.initgrad.outside-synced"},
       .isolation = Isolation::shared) {
  Tensor w = gpu_tensor(3).requires_grad_(), initial = gpu_tensor(1), y;
  const auto outside = c10::cuda::getCurrentCUDAStream(), training = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent made;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard on_training(training);
    y = w * 2;
    y.backward(initial, /*retain_graph=*/true);
  }
  w.mutable_grad().reset();
  c10::cuda::device_synchronize();

  Gate gate;
  gate.hold(outside);
  initial.fill_(5);
  made.record(outside);
  if (!wrong) made.block(training);  // backward() waits for its own current stream only
  {
    const c10::cuda::CUDAStreamGuard on_training(training);
    y.backward(initial);
  }
  if (wrong) training.synchronize();
  gate.open();
  c10::cuda::device_synchronize();
  expect_intact(w.grad(), 10);
}
