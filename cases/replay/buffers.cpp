#include <ATen/autocast_mode.h>

#include "case.h"
#include "support/capture.h"
#include "support/gate.h"
#include "support/host_memory.h"

MISUSE(replay, output_buffer_grown,
       .title = "A buffer that is resized after the capture moves, and the graph goes on writing to where "
                "it was",
       .claims = {"cap.same-addresses", "cap.keep-references"},
       .links = {"https://github.com/PaddlePaddle/FastDeploy/pull/7934"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), buffer = gpu_tensor(0);
  const Graph graph = capture([&] { at::mul_out(buffer, x, x); });
  replay(graph);
  require_equal(buffer, 4);
  if (wrong) buffer.resize_({1 << 20});  // don't: give it its largest size before the capture
  fill_canary(buffer);
  x.fill_(3);
  replay(graph);
  expect_intact(buffer.narrow(0, 0, 1024), 9);
}

MISUSE(replay, input_freed_to_cuda,
       .title = "When a freed input's memory went back to CUDA, a replay reads an address that is gone: an "
                "illegal access",
       .claims = {"cap.keep-references"},
       .links = {"https://github.com/pytorch/pytorch/pull/174649"},
       .needs = {.caching = true}, .isolation = Isolation::right_shared) {
  Tensor x = at::full({16 << 20}, 2.F, at::kCUDA);  // 64 MiB: a segment of its own
  Tensor sum, kept;
  const Graph graph = capture([&] { sum = x.narrow(0, 0, 1024).mul(3); });
  if (!wrong) kept = x;  // don't leave this out
  x.reset();
  empty_cache();
  attempt("replay", [&] {
    replay(graph);
    c10::cuda::device_synchronize();
    expect_equal(sum, 6);
  });
}

MISUSE(replay, pinned_input_refilled_in_a_loop,
       .title = "A loop that refills a pinned input without waiting gives every replay the last values: 9, "
                "9, 9 instead of 0, 1, 4",
       .claims = {"rep.current-stream-order", "nv.race.pinned-overwrite-graph"},
       .isolation = Isolation::shared) {
  Tensor pinned = pinned_tensor(1), staged = gpu_tensor(0), y;
  const Graph graph = capture([&] {
    staged.copy_(pinned, /*non_blocking=*/true);
    y = staged * staged;
  });
  replay(graph);
  require_equal(y.clone(), 1);
  const auto stream = c10::cuda::getStreamFromPool(false);
  const c10::cuda::CUDAStreamGuard on_stream(stream);
  (void)y.clone();
  c10::cuda::device_synchronize();

  std::vector<Tensor> outputs;
  Gate gate;
  if (wrong) gate.hold(stream);  // the GPU is behind, as it is in any long loop
  for (const double value : {0., 1., 2., 3.}) {
    pinned.fill_(value);
    replay(graph);
    outputs.push_back(y.clone());
    if (!wrong) stream.synchronize();  // don't leave this out: the copy reads `pinned` when it runs
  }
  gate.open();
  for (int i = 0; i < 4; ++i) expect_intact(outputs[i], i * i);
}

OBSERVE(replay, pinned_source_freed,
        .title = "A pinned tensor freed after a copy from it was captured: whether its memory goes to the "
                 "next one, which the graph would read",
        .claims = {"cap.keep-references"},
        .links = {"https://github.com/pytorch/pytorch/pull/166765",
                  "https://github.com/pytorch/pytorch/pull/161583"}, .isolation = Isolation::shared) {
  Tensor pinned = pinned_tensor(3), y = gpu_tensor(0);
  const void* const address = pinned.data_ptr();
  const Graph graph = capture([&] { y.copy_(pinned, /*non_blocking=*/true); });
  pinned.reset();
  const Tensor newcomer = pinned_tensor(9);
  fact("memory", newcomer.data_ptr() == address ? "given to the newcomer" : "kept");
  fill_canary(y);
  replay(graph);
  fact("copied", y[0].item<double>());
}

MISUSE(replay, autocast_cache_before_the_capture,
       .title = "A weight that autocast cached before the capture is frozen in the graph: a new value is "
                "ignored; without the cache the graph casts it",
       .claims = {"cap.same-addresses"},
       .links = {"https://github.com/pytorch/pytorch/issues/71631",
                 "https://github.com/pytorch/pytorch/pull/84289"}, .isolation = Isolation::shared) {
  Tensor weight = at::eye(32, at::kCUDA).requires_grad_(), x = at::ones({32, 32}, at::kCUDA), y;
  c10::cuda::device_synchronize();
  at::autocast::set_autocast_enabled(at::kCUDA, true);
  at::autocast::set_autocast_cache_enabled(wrong);  // don't: what is cached is an input like any other
  {
    const c10::cuda::CUDAStreamGuard on_capture_stream(capture_stream());
    at::mm(x, weight);
  }
  const Graph graph = capture([&] { y = at::mm(x, weight); });
  at::autocast::set_autocast_enabled(at::kCUDA, false);
  {
    const c10::NoGradGuard no_grad;
    weight.mul_(2);
  }
  replay(graph);
  expect_intact(y.detach(), 2);
  at::autocast::clear_cache();
  at::autocast::set_autocast_cache_enabled(true);
}

OBSERVE(replay, sibling_with_a_matrix_product_destroyed,
        .title = "Two graphs with a matrix product captured on one stream, one destroyed: whether the other "
                 "one's workspace outlives it",
        .claims = {"gmem.private.replays-independent"},
        .links = {"https://github.com/pytorch/pytorch/issues/193402",
                  "https://github.com/pytorch/pytorch/pull/175276"}) {
  const Tensor a = at::full({512, 512}, 1.F, at::kCUDA), b = at::full({512, 512}, 2.F, at::kCUDA);
  {
    const c10::cuda::CUDAStreamGuard on_capture_stream(capture_stream());
    at::mm(a, b);
  }
  Tensor first, second;
  const Graph one = capture([&] { first = at::mm(a, b); });
  Graph two = capture([&] { second = at::mm(b, a); });
  replay(one, two);
  two.reset();
  second.reset();
  empty_cache();
  const Tensor newcomer = at::full({16 << 20}, -1.F, at::kCUDA);
  attempt("replay", [&] {
    for (int turn = 0; turn < 3; ++turn) {
      fill_canary(first);
      replay(one);
      c10::cuda::device_synchronize();
      expect_equal(first, 1024);
    }
  });
}
