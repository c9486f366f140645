#include "support/capture.h"

namespace cudasem {

c10::cuda::CUDAStream capture_stream() {
  static const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool(false);
  return stream;
}

}  // namespace cudasem
