#include <vector>

#include "case.h"
#include "support/capture.h"

MISUSE(factories, pinned_tensor_on_a_gpu,
       .title = "A factory asked for pinned memory on a GPU is refused: only CPU memory can be pinned",
       .claims = {"fac.pin.cpu-only", "fac.pin.flag"}, .isolation = Isolation::shared) {
  const auto device = wrong ? at::kCUDA : at::kCPU;  // don't: memory of the GPU is never paged out
  Tensor made;
  const bool pinned =
      attempt("empty", [&] { made = at::empty({1024}, at::device(device).pinned_memory(true)); });
  if (pinned) EXPECT_TRUE(made.is_pinned());
  check_recovery();
}

MISUSE(factories, host_pointer_as_a_gpu_tensor,
       .title = "from_blob refuses a host pointer with CUDA options: it wraps memory where it is and "
                "copies nothing",
       .claims = {"xdev.cpu-gpu.op-error"},
       .links = {"https://github.com/pytorch/pytorch/issues/23859"}, .isolation = Isolation::shared) {
  std::vector<float> values(1024, 2);
  Tensor x;
  const bool wrapped = attempt("from_blob", [&] {
    x = at::from_blob(values.data(), {1024},
                      wrong ? at::kCUDA : at::kCPU);  // don't: wrap it on the CPU, then move it
  });
  if (wrapped) expect_equal(x.cuda() * 3, 6);
  check_recovery();
}
