#include "case.h"
#include "support/memory.h"

OBSERVE(factories, to_cuda_without_a_guard,
        .title = "to(kCUDA) without a guard goes to GPU 0, the current one; one document says GPU 1",
        .claims = {"fac.cpp.to.default-device", "dev.move.no-index-uses-current"},
        .isolation = Isolation::shared) {
  Tensor moved;
  attempt("to", [&] { moved = at::ones({4}).to(at::kCUDA); });
  fact("index", std::int64_t{moved.defined() ? moved.get_device() : -1});
  fact("current", std::int64_t{c10::cuda::current_device()});
}

OBSERVE(factories, new_empty_pinned_on_a_gpu,
        .title = "new_empty() of a GPU tensor with pin_memory: one document means CUDA tensors by it, the others the CPU's",
        .claims = {"fac.cpp.stable-abi.pin-text", "fac.pin.cpu-only"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(1);
  const auto pinned = [&](at::Device device) {
    return x.new_empty({4}, at::kFloat, at::kStrided, device, true);
  };
  attempt("on the CPU", [&] { fact("on_the_cpu", pinned(at::kCPU).is_pinned() ? "pinned" : "not pinned"); });
  attempt("on the GPU",
          [&] { fact("on_the_gpu", pinned(x.device()).is_pinned() ? "pinned" : "not pinned"); });
}

MISUSE(factories, empty_read_as_zeros,
       .title = "empty() is not zeros(): a recycled block still holds what its last tensor did, without an error",
       .claims = {"fac.new_empty.uninitialised", "fac.new_zeros-ones.values"},
       .isolation = Isolation::shared) {
  Tensor last = gpu_tensor(kCanary);
  const Tensor source = gpu_tensor(1);
  const void* const block = last.data_ptr();
  last.reset();
  const Tensor sum =
      wrong ? source.new_empty({1024}) : source.new_zeros({1024});  // don't: nobody has written it
  require(sum.data_ptr() == block, "the new tensor lies where the last one did");
  expect_intact(sum, 0);
}
