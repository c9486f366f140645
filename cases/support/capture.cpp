#include "support/capture.h"

#include "case.h"

namespace cudasem {

c10::cuda::CUDAStream capture_stream() {
  static const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool(false);
  return stream;
}

void check_recovery() {
  attempt("eager operation afterwards", [] { expect_equal(gpu_tensor(3) * 5, 15); });
  attempt("capture afterwards", [] {
    const Tensor x = gpu_tensor(3);
    Tensor y;
    const Graph graph = capture([&] { y = x * 7; });
    fill_canary(y);
    replay(graph);
    expect_equal(y, 21);
  });
}

}  // namespace cudasem
