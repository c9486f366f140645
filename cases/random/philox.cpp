#include <ATen/core/PhiloxRNGEngine.h>

#include "case.h"

CASE(random, philox_repeats_itself,
     .title = "Two Philox engines of the same seed, subsequence and offset give the same numbers; another "
              "of any gives others",
     .links = {"https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/test/cuda_generator_test.cu"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  at::Philox4_32 one(7, 1, 4), same(7, 1, 4), other_seed(8, 1, 4), other_subsequence(7, 2, 4),
      other_offset(7, 1, 5);
  const auto first = one();
  EXPECT_EQ(same(), first);
  EXPECT_NE(other_seed(), first);
  EXPECT_NE(other_subsequence(), first);
  EXPECT_NE(other_offset(), first);
}

CASE(random, philox_offset_counts_fours,
     .title = "An offset of Philox skips four numbers for each one: with offset 2 the ninth number comes "
              "first",
     .links = {"https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/test/cuda_generator_test.cu"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  at::Philox4_32 from_the_start(7, 0, 0), later(7, 0, 2);
  for (int i = 0; i < 8; ++i) from_the_start();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(later(), from_the_start());
}

CASE(random, philox_runs_into_the_next_subsequence,
     .title = "After 2^64 offsets a Philox engine goes on with the first numbers of the next subsequence",
     .links = {"https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/test/cuda_generator_test.cu"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  at::Philox4_32 at_the_end(7, 0, ~std::uint64_t{0}), next(7, 1, 0);
  for (int i = 0; i < 4; ++i) at_the_end();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(at_the_end(), next());
}
