#include "case.h"

CASE(factories, like_keeps_dense_strides,
     .title = "*_like of a transposed tensor is transposed too; new_* of it is row-major",
     .claims = {"fac.like.preserve-dense-strides", "fac.new.layout-strided"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const Tensor transposed = at::ones({2, 3}).t();
  EXPECT_EQ(at::empty_like(transposed).strides(), transposed.strides());
  EXPECT_EQ(at::zeros_like(transposed).strides(), transposed.strides());
  EXPECT_TRUE(transposed.new_empty(transposed.sizes()).is_contiguous());

  const Tensor image = at::ones({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast);
  EXPECT_TRUE(at::empty_like(image).is_contiguous(at::MemoryFormat::ChannelsLast));
  EXPECT_TRUE(at::empty_like(image, image.options(), at::MemoryFormat::Contiguous).is_contiguous());
}

CASE(factories, like_of_a_view_with_gaps,
     .title = "*_like of a stepped slice or an expanded tensor is dense: it does not keep the gaps or the "
              "overlap",
     .claims = {"fac.like.preserve-non-dense"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const Tensor stepped = at::arange(10).slice(0, 0, 10, 2);
  EXPECT_EQ(stepped.stride(0), 2);
  EXPECT_EQ(at::zeros_like(stepped).stride(0), 1);
  const Tensor repeated = at::ones({1, 3}).expand({2, 3});
  EXPECT_EQ(repeated.stride(0), 0);
  EXPECT_TRUE(at::zeros_like(repeated).is_non_overlapping_and_dense());
}

CASE(factories, empty_is_filled_when_deterministic,
     .title = "With deterministic algorithms empty() is filled: with NaN for floats, with the largest "
              "value for integers",
     .claims = {"fac.empty.deterministic-fill"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  auto& context = at::globalContext();
  const bool algorithms = context.deterministicAlgorithms(),
             fill = context.deterministicFillUninitializedMemory();
  context.setDeterministicAlgorithms(true, /*warn_only=*/false);
  context.setDeterministicFillUninitializedMemory(true);
  EXPECT_TRUE(at::empty({8}).isnan().all().item<bool>());
  EXPECT_TRUE(at::ones({8}).new_empty({8}).isnan().all().item<bool>());
  EXPECT_TRUE(at::empty({8}, at::kInt).eq(2147483647).all().item<bool>());
  context.setDeterministicFillUninitializedMemory(fill);
  context.setDeterministicAlgorithms(algorithms, /*warn_only=*/false);
}
