#include "case.h"
#include "support/accounting.h"
#include "support/capture.h"

namespace caching = c10::cuda::CUDACachingAllocator;

OBSERVE(allocator, handles_of_one_segment,
        .title = "Two tensors in one segment have the same handle for other processes, at different offsets",
        .links = {"https://github.com/pytorch/pytorch/issues/198305"}, .needs = {.caching = true},
        .isolation = Isolation::shared) {
  const Tensor first = gpu_bytes(512), second = gpu_bytes(512);
  const auto one = caching::shareIpcHandle(first.data_ptr()),
             other = caching::shareIpcHandle(second.data_ptr());
  fact("handles", one.handle == other.handle ? "equal" : "different");
  fact("offset_between_them", other.offset - one.offset);
}

MISUSE(allocator, own_handle_opened,
       .title = "A handle for another process cannot be opened by the process that made it; the tensor itself is "
                "unharmed",
       .links = {"https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__DEVICE.html"},
       .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor tensor = gpu_tensor(2);
  const auto shared = caching::shareIpcHandle(tensor.data_ptr());
  if (wrong) attempt("getIpcDevPtr", [&] { caching::getIpcDevPtr(shared.handle); });  // don't: use the tensor
  expect_equal(tensor, 2);
  check_recovery();
}
