#include <ATen/cuda/CUDADevice.h>

#include "case.h"
#include "support/host_memory.h"
#include "support/memory.h"

MISUSE(cross_device, gpu_of_a_host_address,
       .title = "Asking on which GPU an address lies is refused for pageable memory; pinned memory belongs to one",
       .claims = {"xdev.cpu-gpu.op-error"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(1), pinned = pinned_tensor(2), pageable = pageable_tensor(3);
  EXPECT_EQ(at::cuda::getDeviceFromPtr(x.data_ptr()), x.device());
  void* const address =
      wrong ? pageable.data_ptr() : pinned.data_ptr();  // don't: CUDA has not seen malloc's memory
  attempt("getDeviceFromPtr", [&] { EXPECT_EQ(at::cuda::getDeviceFromPtr(address).index(), 0); });
  expect_equal(x, 1);
}

MISUSE(cross_device, cpu_gradient_assigned_to_a_gpu_tensor,
       .title = "Assigning a CPU gradient to a GPU tensor works; the next backward() that adds to it is refused",
       .claims = {"xdev.cpu-gpu.op-error"}, .isolation = Isolation::shared) {
  Tensor w = gpu_tensor(3).requires_grad_();
  attempt("assign", [&] {
    w.mutable_grad() =
        at::ones({1024}, wrong ? at::device(at::kCPU) : w.options());  // don't: no check looks at it
  });
  const bool ran = attempt("backward", [&] { (w * 2).sum().backward(); });
  if (ran) expect_equal(w.grad(), 3);
  w.mutable_grad().reset();
  (w * 2).sum().backward();
  expect_equal(w.grad(), 2);
}

MISUSE(cross_device, memory_handle_opened_where_it_was_made,
       .title = "A CUDA memory handle opened in the process that exported it is refused; the tensor itself is the way",
       .claims = {"mp.same-process-queue"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(7);
  const auto exported = c10::cuda::CUDACachingAllocator::shareIpcHandle(x.data_ptr());
  std::shared_ptr<void> opened;
  if (wrong)  // don't: a handle is for other processes
    attempt("open", [&] { opened = c10::cuda::CUDACachingAllocator::getIpcDevPtr(exported.handle); });
  Tensor y;
  if (attempt("use", [&] { y = x * 2; })) expect_equal(y, 14);
}
