#include <torch/csrc/cuda/CUDAPluggableAllocator.h>

#include "case.h"
#include "support/memory.h"

namespace caching = c10::cuda::CUDACachingAllocator;
namespace pluggable = torch::cuda::CUDAPluggableAllocator;

static std::int64_t hook_allocations = 0;
static std::int64_t hook_frees = 0;

static void* hook_malloc(std::size_t size, int, cudaStream_t) {
  ++hook_allocations;
  void* memory = nullptr;
  C10_CUDA_CHECK(cudaMalloc(&memory, size));
  return memory;
}

static void hook_free(void* memory, std::size_t, int, cudaStream_t) {
  ++hook_frees;
  C10_CUDA_CHECK(cudaFree(memory));
}

MISUSE(allocator, replaced_after_the_first_allocation,
       .title = "The allocator can be replaced until it has been used: then the first tensor comes from the new "
                "one; afterwards it is refused",
       .claims = {"alloc.custom.swap", "alloc.custom.swap-late"}, .needs = {.caching = true}) {
  auto* native = caching::get();
  if (wrong) gpu_tensor(1);  // don't: the native allocator is in use from here on
  const bool replaced = attempt("changeCurrentAllocator", [] {
    pluggable::changeCurrentAllocator(pluggable::createCustomAllocator(hook_malloc, hook_free));
  });
  {
    const Tensor tensor = gpu_tensor(2);
    EXPECT_EQ(hook_allocations, replaced ? 1 : 0);
    expect_equal(tensor * 2, 4);
  }
  EXPECT_EQ(hook_frees, hook_allocations);
  caching::allocator.store(native);  // the process as it was found
}

template <typename Malloc, typename Free>
static std::string_view as_hooks(Malloc allocate, Free deallocate) {
  return requires {
    pluggable::createCustomAllocator(allocate, deallocate);
  }
  ? "accepted" : "refused";
}

OBSERVE(allocator, signatures_of_custom_hooks,
        .title = "A custom free needs the four parameters of the note, not the three of the docstring; sizes "
                 "may be signed or not",
        .claims = {"alloc.custom.signature"}, .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const auto free_of_three = [](void*, std::size_t, cudaStream_t) {};
  const auto signed_malloc = [](std::ptrdiff_t size, int device, cudaStream_t stream) {
    return hook_malloc(static_cast<std::size_t>(size), device, stream);
  };
  const auto signed_free = [](void* memory, std::ptrdiff_t, int device, cudaStream_t stream) {
    hook_free(memory, 0, device, stream);
  };
  fact("free_of_four_parameters", as_hooks(hook_malloc, hook_free));
  fact("free_of_three_parameters", as_hooks(hook_malloc, free_of_three));
  fact("signed_sizes", as_hooks(signed_malloc, signed_free));
}

OBSERVE(allocator, hooks_are_told_sizes,
        .title = "A custom free is told the size, the device and the stream of the allocation that it undoes",
        .links = {"https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/test/cuda_allocator_test.cpp"},
        .isolation = Isolation::shared) {
  const auto side = c10::cuda::getStreamFromPool(false);
  std::size_t freed_size = 0;
  cudaStream_t freed_stream = nullptr;
  const auto custom = pluggable::createCustomAllocator(
      hook_malloc, [&](void* memory, std::size_t size, int device, cudaStream_t stream) {
        freed_size = size;
        freed_stream = stream;
        hook_free(memory, size, device, stream);
      });
  void* memory = custom->raw_alloc_with_stream(700, side.stream());
  custom->raw_delete(memory);
  fact("size", static_cast<std::int64_t>(freed_size));
  fact("stream", freed_stream == side.stream() ? "the same" : "another");
}
