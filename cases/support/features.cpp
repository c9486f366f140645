#include "support/features.h"

#include "support/torch_compat.h"

namespace cudasem {

bool has_feature(std::string_view name) {
  if (name == "retain_pool") return RetainsPools<at::cuda::CUDAGraph>;
  if (name == "if_nodes") return CapturesIfNodes<at::cuda::CUDAGraph>;
  if (name == "while_nodes") return CapturesWhileNodes<at::cuda::CUDAGraph>;
  return false;
}

}  // namespace cudasem
