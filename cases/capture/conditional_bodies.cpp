#include "case.h"
#include "support/capture.h"
#include "support/random.h"
#include "support/torch_compat.h"

// A bool on the GPU.
static Tensor gpu_flag(bool value) {
  return at::full({}, value, at::device(at::kCUDA).dtype(at::kBool));
}

CASE(capture, if_node_inside_an_if_node,
     .title = "An if-node may stand in the body of another: its body runs only if both predicates are true "
              "at the replay",
     .claims = {"cap.control-flow.cond"},
     .needs = {.features = {"if_nodes"}}, .isolation = Isolation::shared) {
  Tensor outer = gpu_flag(false), inner = gpu_flag(false), y = gpu_tensor(0);
  y.add_(0);
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    capture_if(graph, outer, [&] {
      y.add_(1);
      capture_if(graph, inner, [&] { y.add_(10); });
    });
    graph.capture_end();
  }
  for (const bool first : {false, true})
    for (const bool second : {false, true}) {
      outer.fill_(first);
      inner.fill_(second);
      y.fill_(0);
      graph.replay();
      expect_equal(y, first ? (second ? 11 : 1) : 0);
    }
}

OBSERVE(capture, if_node_whose_body_allocates,
        .title = "The body of an if-node may allocate temporaries, which later work of the graph does not "
                 "disturb",
        .claims = {"cap.control-flow.cond"},
        .links = {"https://github.com/pytorch/pytorch/pull/168912"},
        .needs = {.features = {"if_nodes"}}) {
  Tensor run = gpu_flag(true), x = gpu_tensor(2), y = gpu_tensor(0), z;
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  attempt("capture", [&] {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    capture_if(graph, run, [&] { y.copy_((x * 3 + 1) * x); });
    z = x * 100;
    graph.capture_end();
  });
  for (const double value : {2., 3.}) {
    x.fill_(value);
    graph.replay();
    expect_equal(y, (value * 3 + 1) * value);
    expect_equal(z, value * 100);
  }
}

OBSERVE(capture, random_numbers_in_an_if_node,
        .title = "Random numbers drawn in the body of an if-node: refused or not, and whether the generator "
                 "moves when the body does not run",
        .claims = {"cap.control-flow.cond", "rng.permitted"},
        .links = {"https://github.com/pytorch/pytorch/pull/168912",
                  "https://github.com/pytorch/pytorch/pull/176752",
                  "https://github.com/pytorch/pytorch/issues/175001"},
        .needs = {.features = {"if_nodes"}}) {
  at::Generator generator = default_generator(7);
  Tensor run = gpu_flag(false), y = gpu_tensor(0);
  gpu_random();
  const auto step = generator.get_offset();
  {
    at::cuda::CUDAGraph graph;
    c10::cuda::device_synchronize();
    bool drawn = false, captured = false;
    {
      const c10::cuda::CUDAStreamGuard capturing(capture_stream());
      graph.capture_begin();
      capture_if(graph, run, [&] { drawn = attempt("uniform_", [&] { y.uniform_(); }); });
      captured = attempt("capture_end", [&] { graph.capture_end(); });
    }
    if (drawn && captured) {
      const auto before = generator.get_offset();
      attempt("replay", [&] { graph.replay(); });
      fact("steps_of_the_generator", static_cast<std::int64_t>((generator.get_offset() - before) / step));
    }
  }
  check_recovery();
}

MISUSE(capture, if_node_without_a_capture,
       .title = "An if-node can begin only in a capture: before capture_begin() it is refused",
       .claims = {"cap.control-flow.cond"},
       .needs = {.features = {"if_nodes"}}, .isolation = Isolation::shared) {
  Tensor run = gpu_flag(true), y = gpu_tensor(1);
  y.mul_(1);
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    if (!wrong) graph.capture_begin();  // don't leave this out: the node belongs to a capture
    attempt("if-node", [&] { capture_if(graph, run, [&] { y.mul_(5); }); });
    if (!wrong) graph.capture_end();
  }
  if (!wrong) {
    graph.replay();
    expect_equal(y, 5);
  }
  check_recovery();
}
