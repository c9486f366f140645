#include "support/threads.h"

#include <c10/core/AutogradState.h>

#include <latch>
#include <thread>

#include "case.h"
#include "support/accounting.h"
#include "support/memory.h"

CASE(mem_pool, two_threads_in_two_pools,
     .title = "Two threads inside the scopes of two pools at once each get memory of their own one",
     .claims = {"pool.thread-only"},
     .links = {"https://github.com/pytorch/pytorch/issues/152861",
               "https://github.com/pytorch/pytorch/pull/153356"},
     .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor before = gpu_tensor(0);
  at::cuda::MemPool pools[2];
  Tensor tensors[2];
  std::latch both_inside(2), both_done(2);
  const auto allocate = [&](int i) {
    const PoolScope scope(pools[i]);
    both_inside.arrive_and_wait();
    tensors[i] = gpu_tensor(i);
    both_done.arrive_and_wait();
  };
  std::thread other([&] { allocate(1); });
  allocate(0);
  other.join();
  for (int i : {0, 1}) {
    EXPECT_EQ(segment_of(tensors[i]).owner_private_pool_id, pools[i].id());
    expect_equal(tensors[i], i);
  }
}

MISUSE(mem_pool, two_threads_in_one_pool,
       .title = "While one thread is inside a pool's scope another cannot enter that pool: it is refused, "
                "and the first goes on",
       .claims = {"pool.thread-only", "pool.use_count.in-scope"},
       .links = {"https://github.com/NVIDIA/TensorRT-LLM/pull/18317"},
       .needs = {.caching = true}, .isolation = Isolation::right_shared) {
  const Tensor before = gpu_tensor(0);
  at::cuda::MemPool pool, other;
  const PoolScope scope(pool);
  attempt("scope on another thread", [&] {
    on_new_thread([&] { const PoolScope second(wrong ? pool : other); });  // don't: one thread at a time
  });
  const Tensor inside = gpu_tensor(1);
  EXPECT_EQ(segment_of(inside).owner_private_pool_id, pool.id());
}

OBSERVE(mem_pool, backward_inside_a_scope,
        .title = "Gradients of a backward() called inside a pool's scope: in the pool or not, with "
                 "autograd's own threads and without",
        .claims = {"pool.thread-only"},
        .links = {"https://github.com/pytorch/pytorch/issues/167353",
                  "https://github.com/pytorch/pytorch/issues/188205"},
        .needs = {.caching = true}, .isolation = Isolation::shared) {
  const Tensor before = gpu_tensor(0);
  at::cuda::MemPool pool;
  auto& autograd = c10::AutogradState::get_tls_state();
  for (const bool threads : {true, false}) {
    const Tensor weight = gpu_tensor(3).requires_grad_();
    autograd.set_multithreading_enabled(threads);
    const PoolScope scope(pool);
    (weight * 2 + 1).square().sum().backward();
    const auto owner = segment_of(weight.grad()).owner_private_pool_id;
    fact(threads ? "gradient_made_by_autograds_thread" : "gradient_made_by_this_thread",
         owner == pool.id() ? "in the pool" : "outside");
  }
  autograd.set_multithreading_enabled(true);
}
