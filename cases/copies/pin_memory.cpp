#include "case.h"
#include "support/host_memory.h"
#include "support/memory.h"

CASE(copies, pin_memory_copies,
     .title = "pin_memory() copies into page-locked memory: the source stays pageable and may change at once",
     .claims = {"pin.method.copy", "pin.is_pinned", "pin.host-blocking", "pin.accelerator-default"},
     .isolation = Isolation::shared) {
  Tensor source = pageable_tensor(1);
  const Tensor pinned = source.pin_memory();
  EXPECT_TRUE(pinned.is_pinned());
  EXPECT_FALSE(source.is_pinned());
  EXPECT_NE(pinned.data_ptr(), source.data_ptr());
  source.fill_(2);
  expect_equal(pinned, 1);
}

CASE(copies, pin_memory_of_pinned_memory,
     .title = "pin_memory() of a tensor that is pinned already returns that tensor; factories can pin, too",
     .claims = {"pin.method.already-pinned", "pin.factory"}, .isolation = Isolation::shared) {
  const auto options = at::device(at::kCPU).dtype(at::kFloat);
  const Tensor made_pinned = at::ones({1024}, options.pinned_memory(true));
  EXPECT_TRUE(made_pinned.is_pinned());
  EXPECT_TRUE(made_pinned.pin_memory().is_same(made_pinned));
  expect_equal(made_pinned, 1);
}

MISUSE(copies, pin_memory_of_a_cuda_tensor,
       .title = "pin_memory() of a GPU tensor is refused: only tensors in host memory can be pinned",
       .claims = {"pin.cuda-tensor"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(1);
  const Tensor source = wrong ? x : x.cpu();  // don't: bring it to the host first
  Tensor pinned;
  const bool done = attempt("pin_memory", [&] { pinned = source.pin_memory(); });
  if (done) EXPECT_TRUE(pinned.is_pinned());
  expect_equal(x * 2, 2);
}

CASE(copies, is_pinned_does_not_start_cuda,
     .title = "is_pinned() in a process that has not used CUDA is false and does not create a context; "
              "pinning does",
     .claims = {"pin.is_pinned"},
     .links = {"https://github.com/pytorch/pytorch/pull/145752"}) {
  const Tensor x = pageable_tensor(1);
  require(!c10::cuda::hasPrimaryContext(0), "the process has not used CUDA yet");
  EXPECT_FALSE(x.is_pinned());
  EXPECT_FALSE(c10::cuda::hasPrimaryContext(0));
  EXPECT_TRUE(x.pin_memory().is_pinned());
  EXPECT_TRUE(c10::cuda::hasPrimaryContext(0));
}
