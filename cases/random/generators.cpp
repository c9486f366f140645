#include <ATen/CPUGeneratorImpl.h>
#include <torch/cuda.h>

#include "case.h"
#include "support/random.h"

static Tensor cpu_random(const at::Generator& generator = at::detail::getDefaultCPUGenerator()) {
  return at::rand({1024}, generator, at::device(at::kCPU).dtype(at::kFloat));
}

CASE(random, cuda_seed_leaves_the_cpu_alone,
     .title = "torch::cuda::manual_seed() repeats the numbers of the GPU and does not touch those of the CPU",
     .claims = {"rng.seed.current-vs-all"}, .isolation = Isolation::shared) {
  at::manual_seed(3);
  const Tensor cpu_first = cpu_random(), cpu_second = cpu_random();
  const Tensor gpu_first = gpu_random();

  at::manual_seed(3);
  expect_equal(cpu_random(), cpu_first);
  torch::cuda::manual_seed(4);
  expect_equal(cpu_random(), cpu_second);
  EXPECT_FALSE(at::equal(gpu_random(), gpu_first));
  torch::cuda::manual_seed(3);
  expect_equal(gpu_random(), gpu_first);
}

CASE(random, restored_state_repeats,
     .title = "set_state() of a saved state repeats the numbers drawn after get_state(), and a seed's "
              "offset is 0",
     .claims = {"rng.generator.state"}, .isolation = Isolation::shared) {
  at::Generator generator = own_generator(11);
  EXPECT_EQ(generator.get_offset(), 0U);
  gpu_random(generator);
  const Tensor state = generator.get_state();
  const auto offset = generator.get_offset();
  const Tensor drawn = gpu_random(generator);
  generator.set_current_seed(12);

  generator.set_state(state);
  EXPECT_EQ(generator.current_seed(), 11U);
  EXPECT_EQ(generator.get_offset(), offset);
  expect_equal(gpu_random(generator), drawn);
}

CASE(random, graphsafe_state_is_shared,
     .title = "graphsafe_get_state() gives a generator with the same state, clone() one with a copy of it",
     .claims = {"rng.graphsafe_get.aliases", "rng.clone_state.independent"}, .isolation = Isolation::shared) {
  at::Generator generator = own_generator(11);
  const at::Generator alias = generator.graphsafe_get_state();
  const at::Generator copy = generator.clone();
  const Tensor from_generator = gpu_random(generator);
  EXPECT_EQ(alias.get_offset(), generator.get_offset());
  EXPECT_EQ(copy.get_offset(), 0U);
  expect_equal(gpu_random(copy), from_generator);
  EXPECT_FALSE(at::equal(gpu_random(alias), from_generator));
}

MISUSE(random, offset_between_groups,
       .title = "set_offset() takes multiples of 4 only; another number is refused and changes nothing",
       .claims = {"rng.generator.state"}, .isolation = Isolation::shared) {
  at::Generator generator = own_generator(11);
  const Tensor first = gpu_random(generator), second = gpu_random(generator);
  const auto step = generator.get_offset() / 2;
  generator.set_offset(0);
  const auto offset = wrong ? step + 1 : step;  // don't: numbers come in fours
  attempt("set_offset", [&] { generator.set_offset(offset); });
  expect_equal(gpu_random(generator), wrong ? first : second);
}

MISUSE(random, cpu_state_of_another_size,
       .title = "A CPU generator refuses a state of another size, such as a CUDA generator's, and keeps "
                "its own",
       .claims = {"rng.generator.state"},
       .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  at::Generator generator = at::detail::createCPUGenerator(11);
  const Tensor own = generator.get_state();
  const Tensor drawn = cpu_random(generator);
  generator.set_state(own);
  // don't: 16 bytes are the state of a CUDA generator
  const Tensor state = wrong ? at::zeros({16}, at::kByte) : own;
  attempt("set_state", [&] { generator.set_state(state); });
  expect_equal(cpu_random(generator), drawn);
}

MISUSE(random, cuda_state_of_another_size,
       .title = "A CUDA generator refuses a CPU generator's state because of its size; "
                "graphsafe_set_state by its type",
       .claims = {"rng.graphsafe_set.type", "rng.generator.state"}, .isolation = Isolation::shared) {
  at::Generator generator = own_generator(11);
  // don't: a state can only go to a generator of the same kind of device
  const at::Generator other = wrong ? at::detail::createCPUGenerator(12) : own_generator(12);
  attempt("set_state", [&] { generator.set_state(other.get_state()); });
  attempt("graphsafe_set_state", [&] { generator.graphsafe_set_state(other); });
  EXPECT_EQ(generator.current_seed(), wrong ? 11U : 12U);
}
