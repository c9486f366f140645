#include <c10/core/Event.h>

#include "case.h"
#include "support/memory.h"

OBSERVE(errors, objects_destroyed_after_a_fault,
        .title = "What happens to a program whose tensors, events and guards are destroyed after a device "
                 "assertion",
        .claims = {"err.sticky-assert"},
        .links = {"https://github.com/pytorch/pytorch/blob/main/c10/cuda/impl/CUDAGuardImpl.h"}) {
  auto tensor = gpu_tensor(2);
  auto cuda_event = std::make_unique<c10::cuda::CUDAEvent>();
  auto event = std::make_unique<c10::Event>(at::kCUDA);
  auto guard = std::make_unique<c10::cuda::CUDAStreamGuard>(c10::cuda::getStreamFromPool(false));
  cuda_event->record();
  event->record(c10::cuda::getCurrentCUDAStream().unwrap());
  attempt("assertion", [] {
    at::_assert_async(at::zeros({1}, at::kCUDA));
    c10::cuda::device_synchronize();
  });
  mark("guard destroyed");
  guard.reset();
  mark("CUDAEvent destroyed");
  cuda_event.reset();
  mark("c10::Event destroyed");
  event.reset();
  mark("tensor destroyed");
  tensor.reset();
  fact("all", "destroyed");
}
