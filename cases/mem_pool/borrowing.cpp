#include <c10/cuda/CUDACachingAllocator.h>

#include <set>
#include <thread>

#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"

namespace caching = c10::cuda::CUDACachingAllocator;

CASE(mem_pool, deleted_pool_is_not_borrowed_from,
     .title = "When memory runs out, a pool that was deleted is not borrowed from, although it allowed it: "
              "its tensor stays whole",
     .claims = {"pool.use_on_oom.true", "pool.delete.live-tensor"},
     .links = {"https://github.com/pytorch/pytorch/blob/main/test/test_cuda.py"},
     .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor other = gpu_tensor(0);
  const auto device = c10::cuda::current_device();
  const auto allowed = static_cast<std::int64_t>(caching::get()->getMemoryInfo(device).second / 100);
  caching::setMemoryFraction(0.01, device);
  std::optional<at::cuda::MemPool> pool;
  pool.emplace(nullptr, /*is_user_created=*/true, /*use_on_oom=*/true);
  Tensor survivor, large;
  {
    const PoolScope scope(*pool);
    survivor = gpu_tensor(2);
  }
  pool.reset();
  EXPECT_THROW(large = gpu_bytes(2 * allowed), c10::OutOfMemoryError);
  expect_intact(survivor, 2);
  large = gpu_bytes(allowed / 2);
  expect_intact(survivor, 2);
  large.reset();
  caching::setMemoryFraction(1, device);
}

CASE(mem_pool, ids_are_unique_across_threads,
     .title = "Pools that four threads make at the same time have four ids",
     .claims = {"pool.id"},
     .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor before = gpu_tensor(0);
  std::vector<std::unique_ptr<at::cuda::MemPool>> pools(4);
  std::vector<std::thread> threads;
  for (auto& pool : pools) threads.emplace_back([&pool] { pool = std::make_unique<at::cuda::MemPool>(); });
  for (auto& thread : threads) thread.join();
  std::set<c10::MempoolId_t> ids;
  for (const auto& pool : pools) ids.insert(pool->id());
  EXPECT_EQ(ids.size(), 4U);
}
