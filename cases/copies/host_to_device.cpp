#include "case.h"
#include "support/gate.h"
#include "support/host_memory.h"
#include "support/memory.h"

CASE(copies, non_blocking_from_pinned_memory,
     .title = "A non_blocking copy from pinned memory returns before it has run; later work on its stream "
              "sees it",
     .claims = {"pin.h2d.async", "pin.h2d.consumer-safe", "async.nb.bypass"},
     .isolation = Isolation::shared) {
  const Tensor source = pinned_tensor(3);
  Tensor on_gpu = gpu_tensor(kCanary), product = on_gpu * on_gpu;
  const auto stream = c10::cuda::getCurrentCUDAStream();
  stream.synchronize();
  Gate gate;
  gate.hold(stream);
  on_gpu.copy_(source, /*non_blocking=*/true);
  at::mul_out(product, on_gpu, on_gpu);
  EXPECT_FALSE(stream.query());
  gate.open();
  expect_equal(product, 9);
}

MISUSE(copies, pinned_source_overwritten_too_early,
       .title = "Refilling a pinned source before its non_blocking copy has run silently copies the new "
                "values",
       .claims = {"pin.h2d.source-mutated", "pin.h2d.async"},
       .links = {"https://github.com/pytorch/pytorch/issues/127612"}, .isolation = Isolation::shared) {
  Tensor source = pinned_tensor(1), on_gpu = gpu_tensor(kCanary);
  c10::cuda::CUDAEvent copied;
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(c10::cuda::getCurrentCUDAStream());
  on_gpu.copy_(source, /*non_blocking=*/true);
  copied.record();
  if (!wrong) {  // without this the GPU has not read the source yet
    gate.open();
    copied.synchronize();
  }
  source.fill_(2);
  gate.open();
  expect_intact(on_gpu, 1);
}

CASE(copies, pageable_source_may_be_overwritten,
     .title = "A pageable source may be overwritten as soon as a non_blocking copy has returned, small or "
              "large",
     .claims = {"pin.h2d.source-mutated", "pin.h2d.pageable.tutorial"},
     .links = {"https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html"},
     .isolation = Isolation::shared) {
  for (const std::int64_t elements : {1 << 10, 1 << 18, 1 << 24}) {
    Tensor source = at::full({elements}, 1, at::kFloat);
    Tensor on_gpu = at::full({elements}, kCanary, at::device(at::kCUDA).dtype(at::kFloat));
    c10::cuda::device_synchronize();
    Gate gate;
    gate.hold(c10::cuda::getCurrentCUDAStream());
    returns_while_closed(gate, [&] {
      on_gpu.copy_(source, /*non_blocking=*/true);
      source.fill_(2);
    });
    expect_equal(on_gpu, 1);
  }
}

OBSERVE(copies, host_in_a_non_blocking_copy_from_pageable_memory,
        .title = "Whether a non_blocking copy from pageable memory lets the host go on: three documents, "
                 "three answers",
        .claims = {"pin.h2d.pageable.cuda-page", "pin.h2d.pageable.to-page", "pin.h2d.pageable.tutorial"},
        .isolation = Isolation::shared) {
  const std::pair<const char*, std::int64_t> sizes[] = {
      {"host_4_KiB", 1 << 10}, {"host_64_KiB", 1 << 14}, {"host_1_MiB", 1 << 18}, {"host_64_MiB", 1 << 24}};
  for (const auto& [key, elements] : sizes) {
    const Tensor source = at::full({elements}, 1, at::kFloat);
    Tensor on_gpu = at::full({elements}, kCanary, at::device(at::kCUDA).dtype(at::kFloat));
    c10::cuda::device_synchronize();
    Gate gate;
    gate.hold(c10::cuda::getCurrentCUDAStream());
    const bool returned = returns_while_closed(gate, [&] { on_gpu.copy_(source, /*non_blocking=*/true); });
    fact(key, returned ? "went on" : "waited for the stream");
  }
}

CASE(copies, blocking_copy_waits_for_its_stream,
     .title = "Without non_blocking a copy makes the host wait, also for pinned memory: the source is "
              "free at once",
     .claims = {"pin.blocking.is-async-plus-sync", "async.cpu-gpu-copy-syncs"},
     .isolation = Isolation::shared) {
  Tensor source = pinned_tensor(1), on_gpu = gpu_tensor(kCanary);
  const auto stream = c10::cuda::getCurrentCUDAStream();
  stream.synchronize();
  Gate gate;
  gate.hold(stream);
  const bool went_on = returns_while_closed(gate, [&] {
    on_gpu.copy_(source);
    source.fill_(2);
  });
  EXPECT_FALSE(went_on);
  expect_equal(on_gpu, 1);
}

MISUSE(copies, uploaded_on_a_side_stream_and_used_without_waiting,
       .title = "A batch uploaded on a side stream and used on the default one without a wait is silently "
                "read before it is there",
       .claims = {"pin.copy_.side-stream", "async.side-stream.user"}, .isolation = Isolation::shared) {
  const Tensor source = pinned_tensor(5);
  Tensor batch = gpu_tensor(kCanary), result = gpu_tensor(0);
  const auto upload = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent uploaded;
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(upload);
  {
    const c10::cuda::CUDAStreamGuard uploading(upload);
    batch.copy_(source, /*non_blocking=*/true);
    uploaded.record();
  }
  if (!wrong) uploaded.block(c10::cuda::getCurrentCUDAStream());  // the flag leaves this to the caller
  result.copy_(batch);
  if (wrong) c10::cuda::getCurrentCUDAStream().synchronize();
  gate.open();
  expect_intact(result, 5);
}
