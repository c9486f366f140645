#include "support/capture.h"

#include "case.h"

namespace cudasem {

c10::cuda::CUDAStream capture_stream() {
  static const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool(false);
  return stream;
}

void check_recovery() {
  Tensor x, y;
  attempt("eager operation afterwards", [&] {
    x = gpu_tensor(3);
    expect_equal(x * 5, 15);
  });
  attempt("capture afterwards", [&] {
    const Graph graph = capture([&] { y = x * 7; });
    fill_canary(y);
    replay(graph);
    expect_equal(y, 21);
  });
}

}  // namespace cudasem
