#include <c10/cuda/CUDAException.h>
#include <cuda.h>

#include <cstdlib>

#include "case.h"
#include "support/memory.h"

MISUSE(allocator, module_loading_set_too_late,
       .title = "CUDA_MODULE_LOADING=EAGER is read when CUDA starts: set afterwards kernels go on being loaded at their "
                "first use",
       .links = {"https://docs.nvidia.com/cuda/cuda-programming-guide/04-special-topics/lazy-loading.html"}) {
  if (wrong) (void)gpu_tensor(1);  // don't: this starts CUDA
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  const Tensor tensor = gpu_tensor(2);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found = {};
  C10_CUDA_CHECK(
      cudaGetDriverEntryPointByVersion("cuModuleGetLoadingMode", &entry, 11070, cudaEnableDefault, &found));
  CUmoduleLoadingMode mode = {};
  reinterpret_cast<decltype(&cuModuleGetLoadingMode)>(entry)(&mode);
  fact("kernels_are_loaded", mode == CU_MODULE_EAGER_LOADING ? "at the start" : "at their first use");
}
