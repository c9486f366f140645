#include "support/features.h"

#include "support/torch_compat.h"

namespace cudasem {

bool has_feature(std::string_view name) {
  if (name == "retain_pool") return RetainsPools<at::cuda::CUDAGraph>;
  return false;
}

}  // namespace cudasem
