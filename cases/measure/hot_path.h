// The workload of the pool-boundary study: a hot path of K sections, each with memory from a pool.
//
// A section is a residual block as a transformer has it, without its matrix product: RMS norm over rows of
// 1024, SiLU, and the input added: seven kernels, one of them a reduction. It has no atomics and no library
// behind it, so that a graph's result can be required to equal the eager one exactly.
#pragma once

#include <ATen/ATen.h>
#include <ATen/cuda/MemPool.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "support/capture.h"

namespace cudasem {

/// What distinguishes the rows of one variant.
struct Shape {
  std::int64_t sections;  ///< K
  std::int64_t floats;    ///< elements of each buffer of a section
  bool warmed;            ///< the pools hold blocks before the capture; false: its allocations are the first
};

/// 2 to 64 sections; 1 Ki floats (launching costs most), 256 Ki, and 16 Mi (memory bandwidth costs most);
/// cold and warmed.
std::vector<Shape> shapes();

/// One section. Allocates its output, then its temporaries, from wherever allocations go at the moment.
at::Tensor section(const at::Tensor& input);

/// The whole path, one section after the other.
at::Tensor run_sections(at::Tensor x, std::int64_t sections);

/// The same, section k with memory from pools[k], or all from the only one.
at::Tensor run_in_pools(at::Tensor x, std::int64_t sections, std::deque<at::cuda::MemPool>& pools);

/// One row's path: its input, its pools, and the graphs that it was captured into. Lives on one stream,
/// capture_stream(), since a pool's blocks are kept apart by stream. What it holds is given back when it
/// goes: tensors, then graphs, then pools.
class HotPath {
 public:
  /// Loads the kernels, empties the cache, and counts memory from there on.
  explicit HotPath(const Shape& wanted);

  /// Captures `body` as the next graph, into `pool`. Adds to the times and to the nodes. If `body` throws,
  /// the capture is ended first, so that the stream can be used.
  void capture(c10::MempoolId_t pool, const std::function<void(at::cuda::CUDAGraph&)>& body);

  /// Captures the whole path into `pool` as a graph that is never replayed: it leaves its blocks to the
  /// captures that follow. For pools that have no MemPool to enter.
  void warm_by_capture(c10::MempoolId_t pool);

  /// `made` is what the next section put out, in a scope of `pool`.
  void put_out(const at::Tensor& made, c10::MempoolId_t pool);

  /// Replays all graphs on the current stream, in the order of their capture.
  void replay() const;

  /// How many outputs of sections lie in another pool than they should.
  std::int64_t misplaced() const;

  /// What the allocator has reserved since the path was made, and the most that was allocated at once.
  std::int64_t reserved_MiB() const;
  std::int64_t peak_MiB() const;

  const Shape shape;
  at::Tensor input;
  std::deque<at::cuda::MemPool> pools;  ///< a deque, as a MemPool that was moved from releases its pool, too
  Graph earlier;                        ///< what warm_by_capture captured; keeps the pool
  std::vector<Graph> graphs;
  at::Tensor output;  ///< of the last section
  bool retained = false;
  double capture_ms = 0;
  double instantiate_ms = 0;
  std::int64_t nodes = 0;
  std::int64_t segments = 0;  ///< that captures had to ask CUDA for

 private:
  struct Output {
    std::size_t address;
    c10::MempoolId_t pool;
  };
  std::vector<Output> outputs_;
  Graph first_;  ///< while no graph lives, a capture also allocates for the random number generator
  std::int64_t reserved_before_ = 0;
  std::int64_t allocated_before_ = 0;
};

}  // namespace cudasem
