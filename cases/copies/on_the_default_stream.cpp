#include <ATen/core/CachingHostAllocator.h>

#include "case.h"
#include "support/host_memory.h"
#include "support/memory.h"

CASE(copies, upload_compute_download,
     .title = "Upload, operation and download on the default stream need no wait: cpu() gives the finished values",
     .claims = {"async.default-stream.auto", "async.cpu-gpu-copy-syncs"}, .isolation = Isolation::shared) {
  const Tensor batch = pageable_tensor(2);
  Tensor result = (batch.cuda() * 3).cpu();  // once with the gate open: memory and kernel are there then
  result.fill_(kCanary);
  Gate gate;
  const bool early = returns_while_closed(gate, [&] {
    Tensor x = gpu_tensor(0);
    gate.hold(c10::cuda::getCurrentCUDAStream());
    x.copy_(batch, /*non_blocking=*/true);
    result = (x * 3).cpu();
  });
  EXPECT_FALSE(early);
  expect_equal(result, 6);
}

CASE(copies, freed_pinned_block_is_given_out_again,
     .title = "A freed pinned block that no copy uses is what the next pinned tensor of its size gets",
     .claims = {"stat.host.active-until-streams-done"}, .isolation = Isolation::shared) {
  Tensor first = pinned_tensor(1);
  const void* const block = first.data_ptr();
  EXPECT_NE(pinned_tensor(2).data_ptr(), block);
  first.reset();
  Tensor again = pinned_tensor(3);
  EXPECT_EQ(again.data_ptr(), block);
  EXPECT_TRUE(again.is_pinned());
}

MISUSE(copies, event_for_memory_that_is_not_pinned,
       .title = "record_event() for pageable memory protects nothing: it answers false, without an error",
       .claims = {"pin.is_pinned"}, .isolation = Isolation::shared) {
  const Tensor used =
      wrong ? pageable_tensor(1) : pinned_tensor(1);  // don't: only the pinned allocator keeps blocks
  const auto& data = used.storage().data_ptr();
  const bool kept = at::getHostAllocator(at::kCUDA)->record_event(used.data_ptr(), data.get_context(),
                                                                  c10::cuda::getCurrentCUDAStream().unwrap());
  fact("protected", kept ? "yes" : "no");
}
