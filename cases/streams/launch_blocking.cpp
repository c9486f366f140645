#include <cstdlib>

#include "case.h"
#include "support/host_memory.h"
#include "support/memory.h"

CASE(streams, launch_blocking,
     .title = "With CUDA_LAUNCH_BLOCKING=1 an operation returns only after its kernel has run",
     .claims = {"async.launch-blocking"}) {
  ::setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  Tensor x = gpu_tensor(1);
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(c10::cuda::getCurrentCUDAStream());
  const bool returned = returns_while_closed(gate, [&] { x.fill_(2); });
  EXPECT_FALSE(returned);
  expect_equal(x, 2);
}

OBSERVE(streams, launch_blocking_set_too_late,
        .title = "CUDA_LAUNCH_BLOCKING is read when CUDA starts: set afterwards it is ignored, without a word",
        .claims = {"async.launch-blocking"}) {
  Tensor x = gpu_tensor(1);
  ::setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  const auto stream = c10::cuda::getCurrentCUDAStream();
  stream.synchronize();
  Gate gate;
  gate.hold(stream);
  fact("operation", returns_while_closed(gate, [&] { x.fill_(2); }) ? "returned at once" : "waited");
  stream.synchronize();
}
