#include "measure/hot_path.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "support/accounting.h"

namespace cudasem {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t kRow = 1024;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const std::int64_t floats : {kRow, 256 * kRow, 16 * 1024 * kRow}) {
    for (const std::int64_t sections : {2, 4, 8, 16, 32, 64}) {
      for (const bool warmed : {false, true}) all.push_back({sections, floats, warmed});
    }
  }
  return all;
}

at::Tensor section(const at::Tensor& input) {
  at::Tensor output = at::empty_like(input);
  const at::Tensor scale = (input * input).mean(-1, /*keepdim=*/true).add_(1e-6).rsqrt_();
  at::add_out(output, at::silu(input * scale), input);
  return output;
}

at::Tensor run_sections(at::Tensor x, std::int64_t sections) {
  for (std::int64_t k = 0; k < sections; ++k) x = section(x);
  return x;
}

at::Tensor run_in_pools(at::Tensor x, std::int64_t sections, std::deque<at::cuda::MemPool>& pools) {
  for (std::int64_t k = 0; k < sections; ++k) {
    const PoolScope scope(pools[static_cast<std::size_t>(k) % pools.size()]);
    x = section(x);
  }
  return x;
}

HotPath::HotPath(const Shape& wanted) : shape(wanted) {
  const c10::cuda::CUDAStreamGuard on_its_stream(capture_stream());
  input = at::linspace(-1, 1, shape.floats, at::device(at::kCUDA).dtype(at::kFloat)).view({-1, kRow});
  run_sections(input, 2);
  first_ = cudasem::capture([] { gpu_tensor(1); });
  c10::cuda::device_synchronize();
  empty_cache();
  c10::cuda::CUDACachingAllocator::resetPeakStats(c10::cuda::current_device());
  reserved_before_ = reserved_bytes();
  allocated_before_ = total(device_stats().allocated_bytes).current;
}

void HotPath::capture(c10::MempoolId_t pool, const std::function<void(at::cuda::CUDAGraph&)>& body) {
  auto graph = std::make_unique<at::cuda::CUDAGraph>(/*keep_graph=*/true);  // else nodes cannot be counted
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  const std::int64_t segments_before = device_stats().num_device_alloc;
  const auto begun = Clock::now();
  graph->capture_begin(pool);
  try {
    body(*graph);
  } catch (...) {
    try {
      graph->capture_end();
    } catch (const c10::Error&) {  // the first error says more
    }
    throw;
  }
  graph->capture_end();
  capture_ms += ms_since(begun);
  segments += device_stats().num_device_alloc - segments_before;

  const auto captured = Clock::now();
  graph->instantiate();
  instantiate_ms += ms_since(captured);

  std::size_t count = 0;
  C10_CUDA_CHECK(cudaGraphGetNodes(graph->raw_cuda_graph(), nullptr, &count));
  nodes += static_cast<std::int64_t>(count);
  graphs.push_back(std::move(graph));
}

void HotPath::warm_by_capture(c10::MempoolId_t pool) {
  capture(pool, [&](at::cuda::CUDAGraph&) { run_sections(input, shape.sections); });
  earlier = std::move(graphs.back());
  graphs.clear();
  capture_ms = instantiate_ms = 0;
  nodes = segments = 0;
}

void HotPath::put_out(const at::Tensor& made, c10::MempoolId_t pool) {
  output = made;
  outputs_.push_back({reinterpret_cast<std::size_t>(made.const_data_ptr()), pool});
}

void HotPath::replay() const {
  for (const Graph& graph : graphs) graph->replay();
}

std::int64_t HotPath::misplaced() const {
  const auto segments = c10::cuda::CUDACachingAllocator::snapshot({0, 0}, /*include_traces=*/false).segments;
  return std::count_if(outputs_.begin(), outputs_.end(), [&](const Output& made) {
    return std::none_of(segments.begin(), segments.end(), [&](const auto& segment) {
      return segment.owner_private_pool_id == made.pool && segment.address <= made.address &&
             made.address < segment.address + segment.total_size;
    });
  });
}

std::int64_t HotPath::reserved_MiB() const {
  return (reserved_bytes() - reserved_before_) / kMiB;
}

std::int64_t HotPath::peak_MiB() const {
  return (total(device_stats().allocated_bytes).peak - allocated_before_) / kMiB;
}

}  // namespace cudasem
