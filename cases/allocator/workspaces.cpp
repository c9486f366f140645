#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstdlib>

#include "case.h"
#include "support/accounting.h"

/// Bytes that a matrix product takes beside its operands and its result.
static std::int64_t workspace_of_a_product() {
  const Tensor a = at::ones({64, 64}, at::kCUDA);
  Tensor product = at::empty_like(a);
  c10::cuda::CUDACachingAllocator::resetPeakStats(c10::cuda::current_device());
  const auto before = total(device_stats().allocated_bytes).current;
  at::mm_out(product, a, a);
  expect_equal(product, 64);
  return total(device_stats().allocated_bytes).peak - before;
}

MISUSE(allocator, workspaces_misspelt,
       .title = "CUBLAS_WORKSPACE_CONFIG=:16:8 gives cuBLAS 128 KiB; without the first colon it is ignored, with "
                "a warning",
       .claims = {"env.cublas_workspace.format"}, .needs = {.caching = true}) {
  setenv("CUBLAS_WORKSPACE_CONFIG", wrong ? "16:8" : ":16:8", 1);  // don't: each pair begins with a colon
  fact("workspace_KiB", workspace_of_a_product() / 1024);
  at::cuda::clearCublasWorkspaces();
}

OBSERVE(allocator, default_workspace,
        .title = "The default workspace of cuBLAS is documented as about 8 MiB; on an H200 it is 32 MiB",
        .claims = {"env.cublas_workspace.default"}, .needs = {.caching = true}) {
  unsetenv("CUBLAS_WORKSPACE_CONFIG");
  fact("workspace_KiB", workspace_of_a_product() / 1024);
  at::cuda::clearCublasWorkspaces();
}

CASE(allocator, no_workspace,
     .title = "With CUBLAS_WORKSPACE_CONFIG=:0:0 matrix products take no memory beside their results, on any stream",
     .claims = {"env.cublas_workspace.none"}, .needs = {.caching = true}) {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":0:0", 1);
  EXPECT_EQ(workspace_of_a_product(), 0);
  const c10::cuda::CUDAStreamGuard on_side(c10::cuda::getStreamFromPool(false));
  EXPECT_EQ(workspace_of_a_product(), 0);
}

OBSERVE(allocator, workspaces_outlive_their_product,
        .title = "A matrix product on each of two streams leaves two workspaces allocated until "
                 "clearCublasWorkspaces(); from 2.15 on none",
        .claims = {"env.cublas_workspace.per-handle-stream"}, .needs = {.caching = true}) {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8", 1);
  const auto left_KiB = [] { return total(device_stats().allocated_bytes).current / 1024; };
  workspace_of_a_product();
  fact("one_stream_KiB", left_KiB());
  {
    const c10::cuda::CUDAStreamGuard on_side(c10::cuda::getStreamFromPool(false));
    workspace_of_a_product();
  }
  fact("two_streams_KiB", left_KiB());
  at::cuda::clearCublasWorkspaces();
  fact("cleared_KiB", left_KiB());
}

MISUSE(allocator, cublaslt_workspace_beyond_cublas,
       .title = "CUBLASLT_WORKSPACE_SIZE counts up to the workspace of cuBLAS, which both share: more is cut, "
                "with a warning",
       .claims = {"env.cublaslt_workspace"}, .needs = {.caching = true}) {
  setenv("CUBLAS_WORKSPACE_CONFIG", ":64:8", 1);
  setenv("CUBLASLT_WORKSPACE_SIZE", wrong ? "1024" : "256", 1);  // don't: more KiB than cuBLAS has
  const Tensor first = at::ones({64, 64}, at::kCUDA);
  fact("cublaslt_KiB", static_cast<std::int64_t>(at::cuda::getCUDABlasLtWorkspaceSize() / 1024));
}
