#include "case.h"

CASE(factories, inherited_gpu_beats_the_current_one,
     .title = "Under a guard for GPU 1 new_* and *_like of a tensor on GPU 0 stay on GPU 0; a plain "
              "factory goes to GPU 1",
     .claims = {"fac.new.keeps-device", "fac.like.not-current-device", "fac.plain.uses-context"},
     .links = {"https://github.com/pytorch/pytorch/issues/7735"},
     .needs = {.gpus = 2}) {
  const Tensor x = at::full({4}, 2.0, at::Device(at::kCUDA, 0));
  const c10::cuda::CUDAGuard guard(1);
  for (const Tensor& made : {x.new_empty({4}), x.new_zeros({4}), x.new_full({4}, 3.0), at::empty_like(x),
                             at::zeros_like(x), at::full_like(x, 3.0), at::rand_like(x)})
    EXPECT_EQ(made.device(), x.device());
  EXPECT_EQ(at::zeros({4}, at::device(at::kCUDA)).device().index(), 1);
  EXPECT_EQ(x.new_zeros({4}, x.options().device(at::kCUDA, 1)).device().index(), 1);
}

MISUSE(factories, plain_factory_under_another_gpus_guard,
       .title = "Asking for \"cuda\" where a tensor's own GPU was meant lands on the current GPU, and the "
                "sum is refused",
       .claims = {"fac.plain.uses-context", "fac.cpp.device-index-option", "xdev.gpu-gpu.op-error"},
       .needs = {.gpus = 2}) {
  const Tensor x = at::full({1024}, 2.0, at::Device(at::kCUDA, 1));
  Tensor bias =
      wrong ? at::ones({1024}, at::kCUDA) : at::ones({1024}, x.device());  // don't: GPU 0 is the current one
  fact("index", std::int64_t{bias.device().index()});
  attempt("add_", [&] { expect_equal(bias.add_(x), 3); });
}
