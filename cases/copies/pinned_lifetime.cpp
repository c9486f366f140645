#include <ATen/core/CachingHostAllocator.h>

#include "case.h"
#include "support/gate.h"
#include "support/host_memory.h"
#include "support/memory.h"

CASE(copies, pinned_source_freed_too_early,
     .title = "A pinned tensor may be freed while a copy from a slice of it waits: its block is not given "
              "out before",
     .claims = {"stat.host.active-until-streams-done", "pin.h2d.async"},
     .links = {"https://github.com/pytorch/pytorch/pull/69299"}, .isolation = Isolation::shared) {
  Tensor spare = pinned_tensor(0), source = pinned_tensor(1), on_gpu = gpu_tensor(kCanary);
  const void* const block = source.data_ptr();
  c10::cuda::device_synchronize();
  spare.reset();  // a cached block to give out instead: behind a gate CUDA is not asked for memory
  Gate gate;
  gate.hold(c10::cuda::getCurrentCUDAStream());
  on_gpu.slice(0, 512).copy_(source.slice(0, 512), /*non_blocking=*/true);
  source.reset();
  const Tensor next = pinned_tensor(2);
  EXPECT_NE(next.data_ptr(), block);
  gate.open();
  expect_equal(on_gpu.slice(0, 512), 1);

  const Tensor afterwards = pinned_tensor(3);
  fact("block_afterwards", afterwards.data_ptr() == block ? "given out again" : "not given out");
}

MISUSE(copies, pinned_source_of_a_raw_copy_freed_too_early,
       .title = "A pinned source freed before a raw cudaMemcpyAsync has run is given out again and "
                "overwritten, silently",
       .claims = {"pin.h2d.source-mutated", "stat.host.active-until-streams-done"},
       .isolation = Isolation::shared) {
  Tensor spare = pinned_tensor(0), source = pinned_tensor(1), on_gpu = gpu_tensor(kCanary);
  const auto stream = c10::cuda::getCurrentCUDAStream();
  void* const block = source.data_ptr();
  void* const context = source.storage().data_ptr().get_context();
  stream.synchronize();
  spare.reset();  // what is given out if the source's block is not
  Gate gate;
  gate.hold(stream);
  cudaMemcpyAsync(on_gpu.data_ptr(), block, source.nbytes(), cudaMemcpyHostToDevice, stream);
  if (!wrong) at::getHostAllocator(at::kCUDA)->record_event(block, context, stream);  // as copy_() does
  source.reset();
  const Tensor next = pinned_tensor(2);
  require((next.data_ptr() == block) == wrong, "the block is given out again only if nothing protects it");
  gate.open();
  expect_intact(on_gpu, 1);
}
