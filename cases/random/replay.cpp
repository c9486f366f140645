#include "case.h"
#include "support/capture.h"
#include "support/random.h"
#include "support/torch_compat.h"

CASE(random, replays_continue_the_sequence,
     .title = "Each replay draws the next numbers of the eager sequence, and eager work goes on behind them",
     .claims = {"rng.permitted", "rng.replays-differ", "rng.matches-eager"}, .isolation = Isolation::shared) {
  at::Generator generator = default_generator(7);
  const Tensor first = gpu_random(), second = gpu_random(), third = gpu_random();
  require(!at::equal(first, second), "two draws differ");

  generator.set_current_seed(7);
  Tensor drawn;
  const Graph graph = capture([&] { drawn = gpu_random(); });
  replay(graph);
  expect_equal(drawn, first);
  replay(graph);
  expect_equal(drawn, second);
  expect_equal(gpu_random(), third);
}

CASE(random, seed_before_replay,
     .title = "A seed set between replays takes effect at the next one: the graph holds no seed",
     .claims = {"rng.seed-before-replay"}, .isolation = Isolation::shared) {
  at::Generator generator = default_generator(1);
  Tensor drawn = gpu_tensor(0);
  const Graph graph = capture([&] { drawn = gpu_random(); });
  for (const std::uint64_t seed : {6, 314, 271}) {
    generator.set_current_seed(seed);
    const Tensor eager = gpu_random();
    generator.set_current_seed(seed);
    replay(graph);
    expect_equal(drawn, eager);
  }
}

CASE(random, offset_moves_at_replay_not_at_capture,
     .title = "A capture leaves the generator's offset alone; each replay adds what its random operations "
              "need",
     .claims = {"rng.replays-differ", "rng.matches-eager"}, .isolation = Isolation::shared) {
  at::Generator generator = default_generator(1);
  gpu_random();
  const auto eager_step = generator.get_offset();
  fact("eager_step", static_cast<std::int64_t>(eager_step));
  const Graph graph = capture([&] {
    gpu_random();
    gpu_random();
  });
  EXPECT_EQ(generator.get_offset(), eager_step);
  replay(graph);
  EXPECT_EQ(generator.get_offset(), 3 * eager_step);
  replay(graph);
  EXPECT_EQ(generator.get_offset(), 5 * eager_step);
}

CASE(random, two_generators_in_one_graph,
     .title = "A graph may draw from two generators; each replay advances both, each along its own sequence",
     .claims = {"rng.multi-generator"}, .isolation = Isolation::shared) {
  at::Generator own = own_generator(5);
  at::Generator usual = default_generator(9);
  const Tensor usual_first = gpu_random(), usual_second = gpu_random();
  const Tensor own_first = gpu_random(own), own_second = gpu_random(own);
  usual.set_current_seed(9);
  own.set_current_seed(5);

  at::cuda::CUDAGraph graph;
  Tensor from_usual, from_own;
  register_generator(graph, own);
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    from_usual = gpu_random();
    from_own = gpu_random(own);
    graph.capture_end();
  }
  graph.replay();
  expect_equal(from_usual, usual_first);
  expect_equal(from_own, own_first);
  graph.replay();
  expect_equal(from_usual, usual_second);
  expect_equal(from_own, own_second);
}

MISUSE(random, own_generator_not_registered,
       .title = "A generator that a graph was not told of is refused in its capture up to 2.13; from 2.14 "
                "on it works",
       .claims = {"rng.unregistered-generator", "rng.multi-generator"},
       .links = {"https://github.com/pytorch/pytorch/pull/176752"}, .isolation = Isolation::shared) {
  default_generator(1);
  at::Generator own = own_generator(5);
  const Tensor want = gpu_random(own);
  own.set_current_seed(5);

  at::cuda::CUDAGraph graph;
  const Tensor x = gpu_tensor(2);
  Tensor y, drawn;
  bool captured = false;
  if (!wrong) register_generator(graph, own);  // a graph counts the draws only of generators that it knows
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    y = x * 3;
    captured = attempt("rand", [&] { drawn = gpu_random(own); });
    attempt("capture_end", [&] { graph.capture_end(); });
  }
  graph.replay();
  expect_equal(y, 6);
  if (captured) expect_equal(drawn, want);
  check_recovery();
}
