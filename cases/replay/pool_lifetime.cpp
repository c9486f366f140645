#include <optional>

#include "case.h"
#include "support/capture.h"

MISUSE(replay, after_its_pool_was_released,
       .title = "Replaying a graph whose memory went back to CUDA with its pool is an illegal memory access",
       .claims = {"gmem.multi.lifetime", "cap.keep-references"}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(1), result = gpu_tensor(0), scratch;
  std::optional<at::cuda::MemPool> side_pool;
  side_pool.emplace();
  const Graph graph = capture([&] {
    {
      const PoolScope scope(*side_pool);
      scratch = x * 2;
    }
    result.copy_(scratch);
  });
  replay(graph);
  require_equal(result, 2);

  if (wrong) {  // don't: the graph writes to `scratch` at every replay, and nothing else keeps its memory
    scratch.reset();
    side_pool.reset();
    empty_cache();
  }
  fill_canary(result);
  const bool ran = attempt("replay", [&] {
    replay(graph);
    c10::cuda::device_synchronize();
  });
  if (ran) expect_intact(result, 2);
}
