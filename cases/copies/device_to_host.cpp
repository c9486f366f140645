#include "case.h"
#include "support/gate.h"
#include "support/host_memory.h"
#include "support/memory.h"

MISUSE(copies, pinned_destination_read_too_early,
       .title = "A pinned destination read before its non_blocking copy has run silently holds what was "
                "there before",
       .claims = {"pin.d2h.unsynced", "pin.d2h.synced"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(1);
  Tensor result = pinned_tensor(kCanary);
  const auto stream = c10::cuda::getCurrentCUDAStream();
  stream.synchronize();
  Gate gate;
  gate.hold(stream);
  result.copy_(x, /*non_blocking=*/true);
  if (!wrong) {  // the host must wait before it reads, not after
    gate.open();
    stream.synchronize();
  }
  const Tensor seen = result.clone();
  gate.open();
  stream.synchronize();
  expect_intact(seen, 1);
}

MISUSE(copies, to_cpu_non_blocking_read_at_once,
       .title = "x.to(kCPU, non_blocking=true) returns memory that is not written yet: what lay there "
                "before is read",
       .claims = {"pin.d2h.pageable-destination", "pin.d2h.unsynced"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(1);
  const void* const block = pinned_tensor(kCanary).data_ptr();  // freed again: the next pinned tensor gets it
  Tensor on_host, seen;
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(c10::cuda::getCurrentCUDAStream());
  returns_while_closed(gate, [&] {
    on_host = x.to(at::kCPU, /*non_blocking=*/wrong);  // don't, unless something waits before the next line
    seen = on_host.clone();
  });
  require((on_host.data_ptr() == block) == wrong, "only with the flag the result lies in the canary's block");
  expect_intact(seen, 1);
}

OBSERVE(copies, host_in_a_non_blocking_copy_to_pageable_memory,
        .title = "Whether a non_blocking copy to pageable memory lets the host go on, and what it then reads",
        .claims = {"pin.d2h.unsynced", "pin.d2h.pageable-destination"},
        .links = {"https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html"},
        .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(1);
  Tensor result = pageable_tensor(kCanary), seen;
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(c10::cuda::getCurrentCUDAStream());
  const bool returned = returns_while_closed(gate, [&] {
    result.copy_(x, /*non_blocking=*/true);
    seen = result.clone();
  });
  fact("host", returned ? "went on" : "waited for the copy");
  fact("read_at_once", seen.eq(1).all().item<bool>() ? "the copy" : "what was there before");
}

CASE(copies, to_cpu_memory_follows_non_blocking,
     .title = "to(kCPU) gives pageable memory, and to(kCPU, non_blocking=true) pinned memory",
     .claims = {"pin.d2h.pageable-destination"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(1);
  const Tensor blocking = x.to(at::kCPU), non_blocking = x.to(at::kCPU, /*non_blocking=*/true);
  c10::cuda::device_synchronize();
  EXPECT_FALSE(blocking.is_pinned());
  EXPECT_TRUE(non_blocking.is_pinned());
  expect_equal(blocking, 1);
  expect_equal(non_blocking, 1);
}
