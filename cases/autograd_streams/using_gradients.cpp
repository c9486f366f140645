#include "case.h"
#include "support/gate.h"
#include "support/memory.h"

MISUSE(autograd_streams, gradient_read_on_another_stream,
       .title = "Read on the default stream after a backward() on a side stream, a gradient is silently "
                "the last step's",
       .claims = {"bwd.grads.other-context-unsafe", "bwd.grads.wait-makes-safe",
                  "bwd.default-stream.no-implicit-sync"}, .isolation = Isolation::shared) {
  Tensor w = gpu_tensor(3).requires_grad_(), seen = gpu_tensor(0);
  const auto reader = c10::cuda::getCurrentCUDAStream(), training = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent finished;
  c10::cuda::device_synchronize();
  Gate gate;
  {
    const c10::cuda::CUDAStreamGuard on_training(training);
    for (int step = 0; step < 2; ++step) (w * 2).sum().backward();
    require_equal(w.grad(), 4);
    gate.hold(training);
    (w * 2).sum().backward();
    finished.record();
  }
  if (!wrong) finished.block(reader);  // up to 1.9 backward() made the default stream wait; it no longer does
  seen.copy_(w.grad());
  if (wrong) reader.synchronize();
  gate.open();
  c10::cuda::device_synchronize();
  expect_intact(seen, 6);
}

MISUSE(autograd_streams, parameter_updated_before_backward_ran,
       .title = "A parameter updated while backward() still waits on a side stream silently changes this "
                "step's gradient",
       .claims = {"bwd.grads.other-context-unsafe", "str.order.across-none"},
       .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1).requires_grad_(), w = gpu_tensor(3);
  const auto updater = c10::cuda::getCurrentCUDAStream(), training = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent finished;
  c10::cuda::device_synchronize();
  Gate gate;
  {
    const c10::cuda::CUDAStreamGuard on_training(training);
    (x * w).sum().backward();
    x.mutable_grad().reset();
    Tensor loss = (x * w).sum();
    training.synchronize();
    gate.hold(training);
    loss.backward();  // reads `w`, later
    finished.record();
  }
  if (!wrong) finished.block(updater);  // the version check of saved tensors does not see streams
  w.fill_(100);
  if (wrong) updater.synchronize();
  gate.open();
  training.synchronize();
  expect_intact(x.grad(), 3);
}

CASE(autograd_streams, forward_backward_and_use_on_one_side_stream,
     .title = "Forward, initial gradient, backward() and use of the gradient on one side stream need no wait",
     .claims = {"bwd.initgrad.inside-safe", "bwd.grads.same-context-safe"},
     .links = {"https://github.com/pytorch/pytorch/pull/45787"}, .isolation = Isolation::shared) {
  Tensor w = gpu_tensor(3).requires_grad_(), seen = gpu_tensor(0);
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard on_side(side);
  Tensor initial = gpu_tensor(0);
  (w * 2).backward(initial);
  w.mutable_grad().reset();
  side.synchronize();

  Gate gate;
  gate.hold(side);
  initial.fill_(5);
  (w * 2).backward(initial);
  seen.copy_(w.grad());
  EXPECT_FALSE(side.query());
  EXPECT_TRUE(c10::cuda::getDefaultCUDAStream().query());
  gate.open();
  expect_equal(seen, 10);
}
