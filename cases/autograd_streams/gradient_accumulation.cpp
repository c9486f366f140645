#include <optional>

#include "case.h"
#include "support/memory.h"

MISUSE(autograd_streams, graph_kept_from_another_stream,
       .title = "A kept graph of a warm-up makes later gradients accumulate on the warm-up's stream, with "
                "a warning",
       .claims = {"bwd.op-on-forward-stream"},
       .links = {"https://github.com/pytorch/pytorch/pull/166136"}, .isolation = Isolation::shared) {
  Tensor w = gpu_tensor(3).requires_grad_(), kept;
  const auto warm_up = c10::cuda::getStreamFromPool(false), training = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard on_warm_up(warm_up);
    kept = (w * 2).sum();
  }
  if (!wrong) kept.reset();  // don't keep it: it holds the node that accumulates w's gradient
  std::optional<c10::cuda::CUDAStream> accumulated_on;
  w.register_hook([&](const Tensor&) { accumulated_on = c10::cuda::getCurrentCUDAStream(); });
  {
    const c10::cuda::CUDAStreamGuard on_training(training);
    (w * 5).sum().backward();
    expect_equal(w.grad(), 5);
  }
  fact("accumulated_on", accumulated_on == training  ? "the stream of this step"
                         : accumulated_on == warm_up ? "the stream of the warm-up"
                                                     : "another stream");
}
