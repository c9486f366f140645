#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>

#include <cstdlib>

#include "case.h"

/// 512 by 512 times 4097, which TF32 with its 11 significant bits takes for 4096.
static Tensor product_that_needs_float() {
  const Tensor x = at::full({512, 512}, 4097.0, at::kCUDA);
  return at::mm(x, at::eye(512, at::kCUDA));
}

CASE(allocator, tf32_forced_from_outside,
     .title = "With TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1 matrix products lose digits in a program that never asked "
              "for TF32",
     .claims = {"env.tf32_cublas_override"},
     .env = {{"TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "1"}}) {
  expect_equal(product_that_needs_float(), 4096);
  at::cuda::clearCublasWorkspaces();
}

MISUSE(allocator, tf32_forbidden_from_outside,
       .title = "A program that allows TF32 loses digits, unless NVIDIA_TF32_OVERRIDE=0 forbids it from outside",
       .claims = {"env.nvidia_tf32_override"}) {
  if (!wrong) setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  at::globalContext().setAllowTF32CuBLAS(true);  // don't, where more than 11 bits matter
  const Tensor product = product_that_needs_float();
  at::globalContext().setAllowTF32CuBLAS(false);
  expect_intact(product, 4097);
  at::cuda::clearCublasWorkspaces();
}

OBSERVE(allocator, tf32_override_and_the_switch,
        .title = "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE=1 is documented to force TF32, yet "
                 "setAllowTF32CuBLAS(false) takes it back",
        .claims = {"env.tf32_cublas_override"}, .needs = {.gpus = 0}) {
  setenv("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "1", 1);
  const auto allowed = [] { return at::globalContext().allowTF32CuBLAS() ? "yes" : "no"; };
  fact("allowed", allowed());
  attempt("setAllowTF32CuBLAS", [] { at::globalContext().setAllowTF32CuBLAS(false); });
  fact("afterwards", allowed());
}
