#include <ATen/cuda/MemPool.h>

#include <type_traits>

#include "case.h"

CASE(mem_pool, pool_objects_move,
     .title = "A MemPool moves and does not copy: one object owns a pool, and releases it",
     .claims = {"cpp.mempool.move-only"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  EXPECT_TRUE(std::is_move_constructible_v<at::cuda::MemPool>);
  EXPECT_TRUE(std::is_move_assignable_v<at::cuda::MemPool>);
  EXPECT_FALSE(std::is_copy_constructible_v<at::cuda::MemPool>);
  EXPECT_FALSE(std::is_copy_assignable_v<at::cuda::MemPool>);
}
