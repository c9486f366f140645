#include "support/new_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "case.h"
#include "support/memory.h"

CASE(errors, program_started_by_a_process_that_uses_cuda,
     .title = "A program started anew by a process that uses CUDA can use CUDA itself: only a forked child cannot",
     .claims = {"mp.spawn-works"},
     .time_limit_s = 60) {
  const Tensor x = gpu_tensor(2);
  const auto probe = probe_of_a_new_program();  // uses every GPU, and says how it went
  EXPECT_EQ(probe.at("error"), "");
  EXPECT_TRUE(probe.at("gpus").at(0).at("healthy").get<bool>());
  expect_equal(x * 3, 6);
}

OBSERVE(errors, nvml_check_asked_from_cpp,
        .title = "PYTORCH_NVML_BASED_CUDA_CHECK spares Python's question alone: asked from C++, children cannot use CUDA",
        .claims = {"mp.nvml-check-spares-fork"},
        .time_limit_s = 30) {
  ::setenv("PYTORCH_NVML_BASED_CUDA_CHECK", "1", 1);
  fact("available", at::hasCUDA() ? "yes" : "no");
  const pid_t child = ::fork();
  if (child == 0) {
    attempt("operation in the child", [] { expect_equal(gpu_tensor(2) * 3, 6); });
    ::_exit(0);
  }
  int status = -1;
  require(::waitpid(child, &status, 0) == child && WIFEXITED(status), "the child ended");
}
