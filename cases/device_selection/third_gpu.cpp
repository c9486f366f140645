#include "case.h"
#include "support/capture.h"

MISUSE(device_selection, third_gpu_of_one,
       .title = "With one GPU \"cuda:2\" is parsed, and refused with \"invalid device ordinal\" by the factory "
                "that uses it",
       .claims = {"dev.ordinal.zero-based"}, .isolation = Isolation::shared) {
  const at::Device device(wrong ? "cuda:2" : "cuda:0");  // don't: two more GPUs are needed for that name
  Tensor made, moved;
  if (attempt("factory", [&] { made = at::full({1024}, 2.0, device); })) expect_equal(made * 3, 6);
  if (attempt("to", [&] { moved = at::ones({1024}).to(device); })) EXPECT_EQ(moved.device(), device);
  check_recovery();
}

CASE(device_selection, third_gpu_of_three,
     .title = "With three GPUs \"cuda:2\" is the last one: factories, to() and a guard reach it",
     .claims = {"dev.ordinal.zero-based", "dev.explicit.beats-context"},
     .needs = {.gpus = 3}) {
  const at::Device third("cuda:2");
  const Tensor made = at::full({1024}, 2.0, third), host = at::ones({1024});
  EXPECT_EQ(made.device().index(), 2);
  expect_equal(made + host.to(third), 3);
  const c10::cuda::CUDAGuard guard(third);
  EXPECT_EQ(host.cuda().device(), third);
}
