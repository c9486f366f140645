#include <cstdlib>
#include <filesystem>

#include "case.h"
#include "support/memory.h"

MISUSE(allocator, kernels_compiled_again,
       .title = "A kernel compiled at run time is kept in PYTORCH_KERNEL_CACHE_PATH for the next process; with "
                "USE_PYTORCH_KERNEL_CACHE=0 it is not",
       .claims = {"env.kernel_cache.path", "env.kernel_cache.off"}, .time_limit_s = 60) {
  char folder[] = "/tmp/cudasem-kernels-XXXXXX";
  require(mkdtemp(folder) != nullptr, "a folder for the kernels");
  setenv("PYTORCH_KERNEL_CACHE_PATH", folder, 1);
  setenv("USE_PYTORCH_KERNEL_CACHE", wrong ? "0" : "1", 1);  // don't: each process compiles anew
  const Tensor zeta = at::special_zeta(gpu_tensor(2), gpu_tensor(1));
  EXPECT_NEAR(zeta[0].item<double>(), 1.6449341, 1e-5);  // pi^2 / 6
  fact("kernels_kept", std::int64_t{!std::filesystem::is_empty(folder)});
  std::filesystem::remove_all(folder);
}
