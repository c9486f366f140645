#include "support/refusal.h"

#include <c10/util/Exception.h>
#include <cuda_runtime_api.h>

namespace cudasem {
namespace {

bool is_about_a_pool(const std::string& text) {
  for (const char* word : {"pool", "Pool", "recording to", "captures_underway", "use_count"}) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

Refusal current_refusal() {
  try {
    throw;
  } catch (const c10::OutOfMemoryError& error) {
    return {error.msg(), "oom"};
  } catch (const c10::AcceleratorError& error) {
    return {error.msg(), error.get_error_code() == cudaErrorMemoryAllocation ? "oom" : "other"};
  } catch (const c10::Error& error) {
    return {error.msg(), is_about_a_pool(error.msg()) ? "isolation" : "other"};
  } catch (const std::exception& error) {
    return {error.what(), "other"};
  } catch (...) {
    return {"an exception that is not a std::exception", "other"};
  }
}

}  // namespace cudasem
