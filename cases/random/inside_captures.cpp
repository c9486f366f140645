#include <c10/core/InferenceMode.h>

#include "case.h"
#include "support/capture.h"
#include "support/random.h"

MISUSE(random, first_use_inside_a_capture,
       .title = "The first random operation of a process may be inside a capture up to 2.13; from 2.14 on "
                "it is refused",
       .claims = {"rng.permitted", "rng.construct-in-capture"}, .isolation = Isolation::right_shared) {
  const Tensor x = gpu_tensor(2);
  if (!wrong) default_generator(1);  // it is made at its first use: make sure that is not in a capture
  Tensor y, drawn;
  bool captured = false;
  const Graph graph = capture([&] {
    y = x * 3;
    captured = attempt("rand", [&] { drawn = gpu_random(); });
  });
  replay(graph);
  expect_equal(y, 6);
  if (captured) {
    const Tensor before = drawn.clone();
    replay(graph);
    EXPECT_FALSE(at::equal(drawn, before));
  }
  check_recovery();
}

MISUSE(random, generator_made_inside_a_capture,
       .title = "Making a generator inside a capture is refused; the capture goes on",
       .claims = {"rng.construct-in-capture"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  default_generator(1);
  at::Generator generator;
  if (!wrong) generator = own_generator(1);
  Tensor y;
  const Graph graph = capture([&] {
    y = x * 3;
    if (wrong) attempt("own generator", [&] { generator = own_generator(1); });  // don't: before it
  });
  EXPECT_EQ(generator.defined(), !wrong);
  replay(graph);
  expect_equal(y, 6);
}

MISUSE(random, seed_changed_inside_a_capture,
       .title = "Setting another seed inside a capture is refused, the same seed is not; the graph draws "
                "as seeded before",
       .claims = {"rng.seed-in-capture"}, .links = {"https://github.com/pytorch/pytorch/pull/162505"},
       .isolation = Isolation::shared) {
  at::Generator generator = default_generator(7);
  const Tensor want = gpu_random();
  generator.set_current_seed(7);
  Tensor drawn;
  const Graph graph = capture([&] {
    const std::uint64_t seed = wrong ? 8 : 7;  // don't: a graph takes its seed from the replay
    attempt("set_current_seed", [&] { generator.set_current_seed(seed); });
    drawn = gpu_random();
  });
  replay(graph);
  expect_equal(drawn, want);
}

OBSERVE(random, state_inside_a_capture,
        .title = "get_state() inside a capture, documented as to be avoided, works and gives the offset "
                 "in the graph",
        .claims = {"rng.get_state-in-capture", "rng.set_state-in-capture"},
        .links = {"https://github.com/pytorch/pytorch/issues/83148"}, .isolation = Isolation::shared) {
  at::Generator generator = default_generator(7);
  for (int i = 0; i < 3; ++i) gpu_random();
  const auto offset_in = [](const Tensor& state) {  // a seed and an offset, 8 bytes each
    return state.view(at::kLong)[1].item<std::int64_t>();
  };
  Tensor state;
  const Graph graph = capture([&] {
    gpu_random();
    attempt("get_state", [&] { state = generator.get_state(); });
    if (state.defined()) attempt("set_state", [&] { generator.set_state(state); });
  });
  fact("offset_before", static_cast<std::int64_t>(generator.get_offset()));
  if (state.defined()) fact("offset_in_state", offset_in(state));
}

OBSERVE(random, two_captures_at_once,
        .title = "Ending a second capture with random numbers beside a first one is refused, and the first is lost with it",
        .claims = {"rng.multi-generator", "cap.single-capture"},
        .links = {"https://github.com/pytorch/pytorch/issues/172390"}) {
  at::Generator generator = default_generator(7);
  std::vector<Tensor> eager;
  for (int i = 0; i < 6; ++i) eager.push_back(gpu_random());
  generator.set_current_seed(7);
  const auto position = [&](const Tensor& drawn) -> std::int64_t {
    for (std::size_t i = 0; drawn.defined() && i < eager.size(); ++i) {
      if (at::equal(drawn, eager[i])) return static_cast<std::int64_t>(i);
    }
    return -1;
  };
  const auto side = c10::cuda::getStreamFromPool(false);
  at::cuda::CUDAGraph one, two;
  Tensor one_first, one_second, one_third, two_first;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard on_one(capture_stream());
    one.capture_begin();
    one_first = gpu_random();
    one_second = gpu_random();
    attempt("the other capture", [&] {
      const c10::cuda::CUDAStreamGuard on_two(side);
      two.capture_begin();
      two_first = gpu_random();
    });
    attempt("third draw of the first", [&] { one_third = gpu_random(); });
    attempt("end of the other", [&] {
      const c10::cuda::CUDAStreamGuard on_two(side);
      two.capture_end();
    });
    attempt("end of the first", [&] { one.capture_end(); });
  }
  attempt("replays", [&] {
    one.replay();
    two.replay();
  });
  fact("first_of_one", position(one_first));
  fact("second_of_one", position(one_second));
  fact("third_of_one", position(one_third));
  fact("first_of_two", position(two_first));
}

CASE(random, first_capture_in_inference_mode,
     .title = "A first capture under InferenceMode does not spoil later captures outside it",
     .claims = {"rng.permitted", "rng.replays-differ"},
     .links = {"https://github.com/pytorch/pytorch/issues/166792"}, .isolation = Isolation::shared) {
  default_generator(1);
  Tensor inside = gpu_tensor(0), outside;
  {
    const c10::InferenceMode inference;
    const Graph graph = capture([&] { inside = gpu_random(); });
    replay(graph);
  }
  const Graph graph = capture([&] { outside = gpu_random(); });
  replay(graph);
  const Tensor before = outside.clone();
  replay(graph);
  EXPECT_FALSE(at::equal(outside, before));
}
