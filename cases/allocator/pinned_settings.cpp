#include <ATen/core/CachingHostAllocator.h>
#include <c10/core/AllocatorConfig.h>

#include <chrono>
#include <thread>

#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"

using c10::CachingAllocator::setAllocatorSettings;

static at::HostStats host_stats() {
  return at::getHostAllocator(at::kCUDA)->get_stats();
}

static Tensor pinned(std::int64_t size) {
  return at::empty({size}, at::device(at::kCPU).dtype(at::kByte).pinned_memory(true));
}

CASE(allocator, pinned_statistics_reset,
     .title = "Peaks and histories of pinned memory can be reset, each alone; what is in use stays counted",
     .claims = {"stat.host.reset"}) {
  auto* allocator = at::getHostAllocator(at::kCUDA);
  const Tensor kept = pinned(kMiB);
  { const Tensor brief = pinned(4 * kMiB); }
  allocator->empty_cache();
  EXPECT_EQ(host_stats().allocated_bytes.peak, 5 * kMiB);
  allocator->reset_peak_stats();
  EXPECT_EQ(host_stats().allocated_bytes.peak, kMiB);
  EXPECT_EQ(host_stats().allocated_bytes.freed, 4 * kMiB);
  allocator->reset_accumulated_stats();
  EXPECT_EQ(host_stats().allocated_bytes.freed, 0);
  EXPECT_EQ(host_stats().allocated_bytes.current, kMiB);
}

MISUSE(allocator, pinned_sizes_above_the_round_threshold,
       .title = "Pinned blocks above pinned_max_round_threshold_mb are as large as asked for; by default 3 MiB "
                "take 4",
       .claims = {"conf.pinned.max_round_threshold", "stat.host.pow2"}, .needs = {.features = {"pinned_limits"}}) {
  // don't: sizes just above a power of two, without it
  if (!wrong) setAllocatorSettings("pinned_max_round_threshold_mb:2");
  const Tensor below = pinned(kMiB + 1), above = pinned(3 * kMiB);
  fact("allocated_MiB", host_stats().allocated_bytes.current / kMiB);
}

CASE(allocator, large_pinned_blocks_are_not_kept,
     .title = "A pinned block above pinned_max_cached_size_mb is not rounded, and goes back to CUDA as soon as "
              "it is dropped",
     .claims = {"conf.pinned.max_cached_size", "conf.pinned.interplay"}, .needs = {.features = {"pinned_limits"}}) {
  setAllocatorSettings("pinned_max_round_threshold_mb:64,pinned_max_cached_size_mb:2");
  { const Tensor small = pinned(kMiB); }
  EXPECT_EQ(host_stats().allocated_bytes.current, kMiB);
  Tensor large = pinned(3 * kMiB);
  EXPECT_EQ(host_stats().allocated_bytes.current, 4 * kMiB);
  const auto frees = host_stats().num_host_free;
  large.reset();
  EXPECT_EQ(host_stats().num_host_free, frees + 1);
  EXPECT_EQ(host_stats().allocated_bytes.current, kMiB);
}

OBSERVE(allocator, pinned_block_for_a_larger_tensor,
        .title = "Without rounding a cached pinned block of 5 MiB is handed out for 7 MiB in 2.13; later not",
        .claims = {"conf.pinned.max_round_threshold"},
        .links = {"https://github.com/pytorch/pytorch/pull/192722"}, .needs = {.features = {"pinned_limits"}}) {
  setAllocatorSettings("pinned_max_round_threshold_mb:1");
  Tensor smaller = pinned(5 * kMiB);
  const void* block = smaller.const_data_ptr();
  smaller.reset();
  const Tensor larger = pinned(7 * kMiB);  // not written to: in 2.13 it ends 2 MiB too early
  fact("block_of_7_MiB", larger.const_data_ptr() == block ? "the 5 MiB one" : "another one");
}

MISUSE(allocator, pinned_blocks_await_the_next_allocation,
       .title = "A dropped pinned block counts as active until the next pinned allocation looks, unless "
                "pinned_use_background_threads:True has a thread look",
       .claims = {"conf.pinned.background_threads", "stat.host.active-until-streams-done"}) {
  // don't: wait for it without another allocation
  if (!wrong) setAllocatorSettings("pinned_use_background_threads:True");
  Tensor source = pinned(4096);
  Tensor on_gpu = gpu_bytes(4096);
  on_gpu.copy_(source, /*non_blocking=*/true);
  source.reset();
  c10::cuda::device_synchronize();
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(wrong ? 0 : 2);
  while (host_stats().active_requests.current != 0 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  fact("active_requests", host_stats().active_requests.current);
}
