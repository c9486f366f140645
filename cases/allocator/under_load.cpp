#include <random>

#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"

namespace caching = c10::cuda::CUDACachingAllocator;

CASE(allocator, tensors_never_overlap,
     .title = "In thousands of allocations, frees and emptied caches of every size no tensor overwrites another",
     .claims = {"alloc.free-keeps-reserved", "alloc.empty_cache.spares-live"},
     .links = {"https://github.com/pytorch/pytorch/blob/main/test/test_cuda.py"},
     .isolation = Isolation::shared, .time_limit_s = 60) {
  std::minstd_rand random(7);  // the same sequence everywhere
  std::vector<std::pair<Tensor, std::int64_t>> live;
  for (std::int64_t step = 0; step < 3000; ++step) {
    if (live.size() < 10 || random() % 2 == 0) {
      const std::int64_t elements = 1 << random() % 21;
      live.emplace_back(at::full({elements}, step, at::device(at::kCUDA).dtype(at::kInt)), step);
    } else {
      const auto chosen = live.begin() + static_cast<std::ptrdiff_t>(random() % live.size());
      EXPECT_TRUE(chosen->first.eq(chosen->second).all().item<bool>());
      live.erase(chosen);
    }
    if (random() % 500 == 0) empty_cache();
  }
  for (const auto& [tensor, step] : live) EXPECT_TRUE(tensor.eq(step).all().item<bool>());
}

MISUSE(allocator, out_of_memory_while_a_copy_is_held,
       .title = "A request that was out of memory succeeds once something was dropped: nothing else is needed, no "
                "emptyCache()",
       .claims = {"alloc.fraction.within", "alloc.empty_cache.no-gain"}, .needs = {.caching = true},
       .isolation = Isolation::shared) {
  const Tensor first = gpu_tensor(0);
  const auto device = c10::cuda::current_device();
  caching::setMemoryFraction(0.01, device);
  const auto limit = static_cast<std::int64_t>(caching::get()->getMemoryInfo(device).second / 100);
  Tensor large = gpu_bytes(limit / 10 * 6), copy;
  if (!wrong) large.reset();
  attempt("copy", [&] { copy = gpu_bytes(limit / 10 * 7); });  // don't: while the other one is held
  large.reset();
  if (wrong) attempt("again", [&] { copy = gpu_bytes(limit / 10 * 7); });
  EXPECT_TRUE(copy.defined());
  caching::setMemoryFraction(1, device);
}
