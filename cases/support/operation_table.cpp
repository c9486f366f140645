#include "support/operation_table.h"

#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>

#include <string>

#include "case.h"
#include "support/capture.h"

namespace cudasem {
namespace {

/// What `fn` throws, in a word or two; empty if nothing.
std::string thrown_by(const std::function<void()>& fn) {
  try {
    fn();
    return {};
  } catch (const c10::AcceleratorError& error) {
    return "refused by CUDA (" + std::to_string(error.get_error_code()) + ")";
  } catch (const c10::Error& error) {
    if (std::string_view(error.msg()).find("synchronizing CUDA operation") != std::string_view::npos)
      return "waits";
    return "refused by PyTorch";
  } catch (const std::exception&) {
    return "refused";
  }
}

std::string with_sync_debug(const Operation& operation) {
  auto& state = c10::cuda::warning_state();
  state.set_sync_debug_mode(c10::cuda::SyncDebugMode::L_ERROR);
  const std::string thrown = thrown_by(operation.run);
  state.set_sync_debug_mode(c10::cuda::SyncDebugMode::L_DISABLED);
  return thrown.empty() ? "does not wait" : thrown;
}

std::string in_a_capture(const Operation& operation) {
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  graph.capture_begin();
  std::string said = thrown_by(operation.run);
  const std::string end = thrown_by([&] { graph.capture_end(); });
  if (!end.empty()) {
    cudaGraph_t abandoned = nullptr;
    (void)cudaStreamEndCapture(capture_stream(), &abandoned);
    (void)cudaGetLastError();
    said += said.empty() ? "the capture is lost" : ", the capture is lost";
  }
  graph.reset();
  return said.empty() ? "captured" : said;
}

}  // namespace

void record_operations(const std::vector<Operation>& operations) {
  at::cuda::detail::getDefaultCUDAGenerator();  // from 2.14 on a capture cannot create it
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard on_capture_stream(capture_stream());
  std::vector<std::string> eager;
  for (const Operation& operation : operations) {
    mark(operation.name);
    const std::string thrown = thrown_by(operation.run);
    eager.push_back(thrown.empty() ? with_sync_debug(operation) : "fails eagerly");
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    mark(operations[i].name);
    fact(operations[i].name,
         eager[i] == "fails eagerly" ? eager[i] : eager[i] + ", " + in_a_capture(operations[i]));
  }
  fact("cells", static_cast<std::int64_t>(operations.size()));
}

}  // namespace cudasem
