#include "case.h"
#include "support/capture.h"

MISUSE(device_selection, index_past_the_last_gpu,
       .title = "A GPU index past the last one is refused with \"invalid device ordinal\" wherever it is "
                "used; work goes on",
       .claims = {"dev.ordinal.zero-based"}, .isolation = Isolation::shared) {
  const c10::DeviceIndex last = static_cast<c10::DeviceIndex>(c10::cuda::device_count() - 1);
  const Tensor host = at::full({1024}, 2.0);
  const at::Device device(at::kCUDA,
                          wrong ? last + 7 : last);  // don't: indices count from 0 to device_count() - 1
  attempt("factory", [&] { at::empty({1024}, device); });
  attempt("to", [&] { host.to(device); });
  attempt("guard", [&] { const c10::cuda::CUDAGuard guard(device); });
  attempt("set_device", [&] { c10::cuda::set_device(device.index()); });

  c10::cuda::set_device(0);
  check_recovery();
}

OBSERVE(device_selection, negative_index_to_set_device,
        .title = "c10::cuda::set_device(-1) is refused before CUDA starts, although "
                 "torch.cuda.set_device(-1) is a no-op",
        .claims = {"dev.set_device.negative-noop"},
        .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  attempt("set_device", [] { c10::cuda::set_device(-1); });
}
