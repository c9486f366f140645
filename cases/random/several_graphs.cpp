#include <ATen/cuda/CUDAGeneratorImpl.h>

#include <thread>

#include "case.h"
#include "support/capture.h"
#include "support/random.h"

CASE(random, distributions_in_one_graph,
     .title = "Uniform, normal, Bernoulli, integer and exponential numbers in one graph are those of eager "
              "work in the same order",
     .claims = {"rng.matches-eager", "rng.permitted"}, .isolation = Isolation::shared) {
  at::Generator generator = default_generator(7);
  std::vector<Tensor> drawn(5);
  for (Tensor& tensor : drawn) tensor = gpu_tensor(0);
  const auto draw = [&] {
    drawn[0].uniform_();
    drawn[1].normal_();
    drawn[2].bernoulli_(0.25);
    drawn[3].random_(1000);
    drawn[4].exponential_();
  };
  std::vector<Tensor> eager;
  for (int turn = 0; turn < 2; ++turn) {
    draw();
    for (const Tensor& tensor : drawn) eager.push_back(tensor.clone());
  }
  generator.set_current_seed(7);
  const Graph graph = capture(draw);
  for (int turn = 0; turn < 2; ++turn) {
    replay(graph);
    for (std::size_t i = 0; i < drawn.size(); ++i) expect_equal(drawn[i], eager[turn * drawn.size() + i]);
  }
}

CASE(random, graphs_replayed_by_turns,
     .title = "Two graphs captured one after the other and replayed by turns draw from one sequence, each "
              "as much as it needs",
     .claims = {"rng.matches-eager", "rng.replays-differ"},
     .links = {"https://github.com/pytorch/pytorch/issues/172390"}, .isolation = Isolation::shared) {
  at::Generator generator = default_generator(7);
  std::vector<Tensor> sequence;
  for (int i = 0; i < 6; ++i) sequence.push_back(gpu_random());
  generator.set_current_seed(7);
  Tensor single, first, second;
  const Graph one = capture([&] { single = gpu_random(); });
  const Graph two = capture([&] {
    first = gpu_random();
    second = gpu_random();
  });
  for (int turn = 0; turn < 2; ++turn) {
    replay(two);
    expect_equal(first, sequence[3 * turn]);
    expect_equal(second, sequence[3 * turn + 1]);
    replay(one);
    expect_equal(single, sequence[3 * turn + 2]);
  }
}

CASE(random, threads_draw_from_one_generator,
     .title = "Eight threads that draw from the default generator at once never get the same numbers, and "
              "its offset counts all of them",
     .claims = {"rng.generator.state"},
     .links = {"https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/test/cuda_generator_test.cu"},
     .isolation = Isolation::shared) {
  at::Generator generator = default_generator(7);
  gpu_random();
  const auto step = generator.get_offset();
  std::vector<Tensor> drawn(32);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i)
    threads.emplace_back([&drawn, i] {
      for (std::size_t j = 0; j < 4; ++j) drawn[4 * i + j] = gpu_random();
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(generator.get_offset(), 33 * step);
  for (std::size_t i = 0; i < drawn.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(at::equal(drawn[i], drawn[j]));
}

CASE(random, one_default_generator_for_each_gpu,
     .title = "The default generator of a GPU is always the same object: a seed set on one handle is read "
              "from the other",
     .claims = {"rng.generator.state"},
     .links = {"https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/test/cuda_generator_test.cu"},
     .isolation = Isolation::shared) {
  gpu_tensor(1);
  at::Generator one = at::cuda::detail::getDefaultCUDAGenerator();
  const at::Generator two = at::globalContext().defaultGenerator(at::Device(at::kCUDA, 0));
  one.set_current_seed(123);
  EXPECT_EQ(one, two);
  EXPECT_EQ(two.current_seed(), 123U);
  EXPECT_EQ(two.device(), at::Device(at::kCUDA, 0));
}
