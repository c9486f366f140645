#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "support/memory.h"

MISUSE(errors, fork_after_cuda_started,
       .title = "A process forked after CUDA started cannot use CUDA: its first operation fails; the "
                "parent goes on",
       .claims = {"mp.fork-unsupported"},
       .links = {"https://github.com/pytorch/pytorch/issues/55643"},
       .time_limit_s = 30) {
  if (wrong) (void)gpu_tensor(1);  // don't: fork first, or start another program
  const pid_t child = ::fork();
  if (child == 0) {
    attempt("operation in the child", [] { expect_equal(gpu_tensor(2) * 3, 6); });
    ::_exit(0);
  }
  int status = -1;
  require(::waitpid(child, &status, 0) == child, "the child ended");
  fact("child_exit", std::int64_t{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)});
  attempt("operation in the parent", [] { expect_equal(gpu_tensor(2) * 5, 10); });
}

MISUSE(errors, fork_after_asking_for_gpus,
       .title = "Asking only how many GPUs there are already keeps children forked afterwards from using "
                "CUDA",
       .claims = {"mp.is_available-poisons-fork"},
       .time_limit_s = 30) {
  if (wrong) EXPECT_TRUE(at::hasCUDA());  // don't: the question starts the driver
  const pid_t child = ::fork();
  if (child == 0) {
    const at::Device device = at::hasCUDA() ? at::kCUDA : at::kCPU;
    attempt("operation in the child", [&] { expect_equal(at::full({8}, 2.0, device) * 3, 6); });
    ::_exit(0);
  }
  int status = -1;
  require(::waitpid(child, &status, 0) == child && WIFEXITED(status), "the child ended");
  EXPECT_TRUE(at::hasCUDA());
}
