#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>

#include "case.h"
#include "support/memory.h"

CASE(device_selection, precision_of_matrix_products_by_default,
     .title = "By default TF32 is off for matrix products, on for cuDNN, and BF16 products may reduce in BF16",
     .claims = {"adj.tf32.matmul-default-off", "adj.tf32.cudnn-default-on", "adj.bf16.default-on"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const at::Context& context = at::globalContext();
  EXPECT_FALSE(context.allowTF32CuBLAS());
  EXPECT_TRUE(context.allowTF32CuDNN());
  EXPECT_EQ(context.allowBF16ReductionCuBLAS(), at::CuBLASReductionOption::AllowReducedPrecisionWithSplitK);
}

CASE(device_selection, split_k_of_half_products,
     .title = "The setters of reduced precision in half products take a second flag, split-k, which is on by default",
     .claims = {"cpp.fp16-reduction.two-args"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  using enum at::CuBLASReductionOption;
  at::Context& context = at::globalContext();
  context.setAllowFP16ReductionCuBLAS(false);
  EXPECT_EQ(context.allowFP16ReductionCuBLAS(), DisallowReducedPrecisionAllowSplitK);
  context.setAllowFP16ReductionCuBLAS(false, /*allow_splitk=*/false);
  EXPECT_EQ(context.allowFP16ReductionCuBLAS(), DisallowReducedPrecisionDisallowSplitK);
  context.setAllowFP16ReductionCuBLAS(true);
  EXPECT_EQ(context.allowFP16ReductionCuBLAS(), AllowReducedPrecisionWithSplitK);
}

MISUSE(device_selection, tf32_in_one_source,
       .title = "With TF32 allowed a float product on the GPU silently drops low bits that the CPU keeps",
       .claims = {"cpp.tf32.toggle"}) {
  const Tensor x = at::full({256, 256}, 1 + 1.0 / 4096, at::device(at::kCUDA)),
               one = at::eye(256, x.options());
  at::Context& context = at::globalContext();
  const bool before = context.allowTF32CuBLAS();
  context.setAllowTF32CuBLAS(wrong);  // don't, where both must agree: TF32 keeps 10 bits after the point
  const Tensor product = at::mm(x, one);
  context.setAllowTF32CuBLAS(before);
  require_equal(at::mm(x.cpu(), one.cpu()), 1 + 1.0 / 4096);
  expect_intact(product, 1 + 1.0 / 4096);
}

CASE(device_selection, cufft_plan_cache,
     .title = "Each GPU caches 4096 cuFFT plans by default; the cache counts plans, can be resized and cleared",
     .claims = {"adj.cufft.capacity"}) {
  const auto& hooks = at::detail::getCUDAHooks();
  EXPECT_EQ(hooks.cuFFTGetPlanCacheMaxSize(0), 4096);
  require(hooks.cuFFTGetPlanCacheSize(0) == 0, "no plan has been made yet");
  for (const std::int64_t size : {16, 32, 16}) at::fft_fft(at::ones({size}, at::device(at::kCUDA)));
  EXPECT_EQ(hooks.cuFFTGetPlanCacheSize(0), 2);
  hooks.cuFFTSetPlanCacheMaxSize(0, 1);
  EXPECT_EQ(hooks.cuFFTGetPlanCacheSize(0), 1);
  hooks.cuFFTClearPlanCache(0);
  EXPECT_EQ(hooks.cuFFTGetPlanCacheSize(0), 0);
  hooks.cuFFTSetPlanCacheMaxSize(0, 4096);
}
