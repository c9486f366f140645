#include <c10/cuda/CUDAException.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "support/capture.h"

MISUSE(errors, index_past_the_end_at_a_replay,
       .title = "An index that was right at the capture and is past the end at a replay trips a device "
                "assertion: the GPU is lost",
       .claims = {"async.error-late", "err.sticky-assert"}, .isolation = Isolation::right_shared) {
  const Tensor x = gpu_tensor(2);
  Tensor index = at::full({4}, 1023, x.options().dtype(at::kLong)), y;
  const Graph graph = capture([&] { y = at::gather(x, 0, index); });
  replay(graph);
  require_equal(y, 2);
  if (wrong) index.fill_(1024);  // don't: clamp what comes from outside
  attempt("replay", [&] { replay(graph); });
  attempt("synchronize", [&] { c10::cuda::device_synchronize(); });
  attempt("next operation", [&] { expect_equal(x * 3, 6); });
}

MISUSE(errors, assertion_on_many_values,
       .title = "_assert_async() of more than one value is refused on the host, at once, and the GPU stays "
                "usable",
       .claims = {"async.error-at-op"},
       .links = {"https://github.com/pytorch/pytorch/blob/main/test/test_cuda.py"},
       .isolation = Isolation::shared) {
  const Tensor holds = gpu_tensor(2) > 1;
  attempt("assert", [&] { at::_assert_async(wrong ? holds : holds.all()); });  // don't: one value, not 1024
  check_recovery();
}

OBSERVE(errors, host_function_after_a_fault,
        .title = "A host function that was enqueued behind a device assertion is never called, so it must "
                 "not be what frees things",
        .claims = {"err.sticky-assert"},
        .links = {"https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EXECUTION.html"}) {
  const auto stream = c10::cuda::getCurrentCUDAStream();
  int calls = 0;
  const auto count = [](void* calls_so_far) { ++*static_cast<int*>(calls_so_far); };
  const Tensor fine = at::ones({1}, at::kCUDA), broken = at::zeros({1}, at::kCUDA);
  at::_assert_async(fine);
  C10_CUDA_CHECK(cudaLaunchHostFunc(stream, count, &calls));
  c10::cuda::device_synchronize();
  fact("calls_before", std::int64_t{calls});
  at::_assert_async(broken);
  attempt("host function", [&] { C10_CUDA_CHECK(cudaLaunchHostFunc(stream, count, &calls)); });
  attempt("synchronize", [] { c10::cuda::device_synchronize(); });
  fact("calls_after", std::int64_t{calls});
}

OBSERVE(errors, host_function_that_calls_cuda,
        .title = "What CUDA answers to a host function that calls CUDA, which it must not",
        .links = {"https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EXECUTION.html"},
        .isolation = Isolation::shared) {
  struct Answers {
    cudaError_t device = cudaSuccess, allocation = cudaSuccess;
    void* memory = nullptr;
  } answers;
  gpu_tensor(1);
  C10_CUDA_CHECK(cudaLaunchHostFunc(
      c10::cuda::getCurrentCUDAStream(),
      [](void* data) {
        auto& answer = *static_cast<Answers*>(data);
        int device = 0;
        answer.device = cudaGetDevice(&device);
        answer.allocation = cudaMalloc(&answer.memory, 1024);
        (void)cudaGetLastError();
      },
      &answers));
  c10::cuda::device_synchronize();
  fact("cudaGetDevice", std::int64_t{answers.device});
  fact("cudaMalloc", std::int64_t{answers.allocation});
  (void)cudaFree(answers.memory);
  check_recovery();
}

// How a process ends that leaves main with what `make` made in a static variable: its exit status, or minus
// the number of the signal; 99 if it could not be made.
template <typename Make>
static std::int64_t exit_with_static(Make make) {
  const pid_t child = ::fork();  // before CUDA starts in this process
  if (child == 0) {
    try {
      static auto left = make();
    } catch (...) {
      ::_exit(99);
    }
    std::exit(0);
  }
  int status = -1;
  require(::waitpid(child, &status, 0) == child, "the child ended");
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

OBSERVE(errors, exit_with_static_objects,
        .title = "How a program ends whose tensor, graph or pool is a static variable, destroyed after "
                 "main()",
        .links = {"https://github.com/pytorch/pytorch/issues/17658",
                  "https://github.com/pytorch/pytorch/issues/35736"}, .isolation = Isolation::shared,
        .time_limit_s = 60) {
  fact("tensor", exit_with_static([] { return gpu_tensor(1); }));
  fact("graph", exit_with_static([] {
         const Tensor x = gpu_tensor(1);
         return capture([&] { x * 2; });
       }));
  fact("pool", exit_with_static([] {
         const Tensor x = gpu_tensor(1);
         return std::make_unique<at::cuda::MemPool>();
       }));
}
