#include "case.h"
#include "support/threads.h"

CASE(device_selection, guard_for_the_second_gpu,
     .title = "Inside a guard for GPU 1 factories, cuda() and to(\"cuda\") land on GPU 1, and so does "
              "what is computed",
     .claims = {"dev.guard.scope", "dev.alloc.current-device", "dev.move.no-index-uses-current"},
     .needs = {.gpus = 2}) {
  const Tensor host = at::full({1024}, 2.0);
  const at::Device second(at::kCUDA, 1);
  {
    const c10::cuda::CUDAGuard guard(1);
    const Tensor made = at::full({1024}, 3.0, at::device(at::kCUDA));
    const Tensor moved = host.cuda();
    EXPECT_EQ(made.device(), second);
    EXPECT_EQ(moved.device(), second);
    EXPECT_EQ(host.to(at::Device("cuda")).device(), second);
    EXPECT_EQ((made + moved).device(), second);
    expect_equal(made + moved, 5);
  }
  EXPECT_EQ(c10::cuda::current_device(), 0);
}

CASE(device_selection, what_beats_a_guard,
     .title = "An explicit index, and the place of the operands, win over the guard around them",
     .claims = {"dev.explicit.beats-context", "dev.op.follows-operands"},
     .needs = {.gpus = 2}) {
  const at::Device first(at::kCUDA, 0);
  const Tensor x = at::full({1024}, 2.0, at::device(first));
  const c10::cuda::CUDAGuard guard(1);
  EXPECT_EQ((x + x).device(), first);
  EXPECT_EQ(at::ones({4}, at::device(first)).device(), first);
  EXPECT_EQ(at::ones({4}).to(first).device(), first);
  expect_equal(x + x, 4);
  EXPECT_EQ(c10::cuda::current_device(), 1);
}

MISUSE(device_selection, to_cuda_of_a_tensor_on_another_gpu,
       .title = "to(kCUDA) of a tensor on GPU 0 copies it to GPU 1 where that is current: \"cuda\" is not "
                "\"some GPU\"",
       .claims = {"dev.torchdevice.indexless-tracks-current", "dev.move.no-index-uses-current"},
       .needs = {.gpus = 2}) {
  const Tensor x = at::full({1024}, 2.0, at::Device(at::kCUDA, 0));
  const c10::cuda::CUDAGuard guard(1);
  // don't: if any GPU will do, ask is_cuda(), or name the tensor's own device
  const Tensor y = wrong ? x.to(at::kCUDA) : x.to(x.device());
  fact("index", std::int64_t{y.device().index()});
  fact("same_tensor", y.is_same(x) ? "yes" : "no");
  expect_equal(y, 2);
}

CASE(device_selection, guard_undoes_a_set_device_inside,
     .title = "A guard puts back the GPU that it found, whatever set_device() chose inside it",
     .claims = {"dev.guard.scope", "cpp.deviceguard.restores"},
     .needs = {.gpus = 2}) {
  {
    const c10::cuda::CUDAGuard outer(1);
    {
      const c10::cuda::CUDAGuard inner(0);
      c10::cuda::set_device(1);
    }
    EXPECT_EQ(c10::cuda::current_device(), 1);
    c10::cuda::set_device(0);
  }
  EXPECT_EQ(c10::cuda::current_device(), 0);
}

MISUSE(device_selection, new_thread_forgets_the_gpu,
       .title = "A new thread starts on GPU 0 although the one that made it works on GPU 1: its tensors "
                "land on GPU 0",
       .claims = {"dev.thread-default"},
       .needs = {.gpus = 2}) {
  const c10::cuda::CUDAGuard guard(1);
  const c10::DeviceIndex chosen = c10::cuda::current_device();
  Tensor made;
  on_new_thread([&] {
    c10::cuda::OptionalCUDAGuard of_the_thread;
    if (!wrong) of_the_thread.set_index(chosen);  // the current GPU belongs to a thread, and is not inherited
    made = at::full({1024}, 2.0, at::device(at::kCUDA));
  });
  fact("index", std::int64_t{made.device().index()});
}

OBSERVE(device_selection, contexts_of_two_gpus,
        .title = "Work that names only cuda:1 creates no context on cuda:0; set_device() back to it does",
        .links = {"https://github.com/pytorch/pytorch/issues/10832", "https://github.com/pytorch/pytorch/issues/122940"},
        .needs = {.gpus = 2}) {
  const auto context_on_first = [] { return c10::cuda::hasPrimaryContext(0) ? "yes" : "no"; };
  Tensor x = at::full({1024}, 2.0, at::Device(at::kCUDA, 1));
  expect_equal(at::cat({x, x}), 2);
  fact("after_tensors_on_cuda_1", context_on_first());
  c10::cuda::set_device(1);
  c10::cuda::set_device(0);
  fact("after_set_device", context_on_first());
}

CASE(device_selection, guard_reports_what_it_changed,
     .title = "A guard reports the GPU it found and the last one it set; one for \"cuda\" keeps what is current",
     .claims = {"cpp.deviceguard.accessors", "dev.torchdevice.indexless-tracks-current"},
     .needs = {.gpus = 2}) {
  c10::cuda::CUDAGuard outer(1);
  {
    const c10::cuda::CUDAGuard inner(at::Device("cuda"));
    EXPECT_EQ(inner.current_device().index(), 1);
    EXPECT_EQ(at::ones({4}, at::kCUDA).device().index(), 1);
  }
  outer.set_index(0);
  EXPECT_EQ(outer.original_device().index(), 0);
  EXPECT_EQ(outer.current_device().index(), 0);
  EXPECT_EQ(at::ones({4}, at::kCUDA).device().index(), 0);
}
