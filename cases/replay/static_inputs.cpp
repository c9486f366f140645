#include "case.h"
#include "support/capture.h"

CASE(replay, results_follow_the_inputs,
     .title = "A replay computes from what the captured input holds then, like the eager operation",
     .claims = {"rep.static-input-example", "rep.repeatable"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1), y;
  const auto network = [](const Tensor& input) { return (input * input + 3).relu(); };
  const Graph graph = capture([&] { y = network(x); });
  for (const double value : {2., -5., 0., 100.}) {
    x.fill_(value);
    replay(graph);
    expect_equal(y, network(x));
  }
}

MISUSE(replay, input_reassigned,
       .title = "Giving the input variable another tensor changes nothing for the graph: it reads the old "
                "one's memory",
       .claims = {"cap.same-addresses", "nv.frozen.input-reassign"},
       .links = {"https://github.com/pytorch/pytorch/issues/114844"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y;
  const Tensor captured_input = x;  // kept alive: only the variable changes
  const Graph graph = capture([&] { y = x * 10; });

  if (wrong) {
    x = gpu_tensor(5);  // don't: the graph knows addresses, not variables
  } else {
    x.copy_(gpu_tensor(5));
  }
  replay(graph);
  expect_intact(y, 50);
}

MISUSE(replay, input_freed,
       .title = "When a captured input is freed, the graph silently reads the tensor that gets its memory "
                "next",
       .claims = {"cap.liveness.default-off", "nv.lifetime.input-reused"},
       .links = {"https://github.com/pytorch/pytorch/pull/174649"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1), y, kept;
  const Graph graph = capture([&] { y = x * 2; });
  const void* const captured_address = x.data_ptr();

  if (!wrong) kept = x;  // don't leave this out: nothing but a tensor keeps the memory of an input
  x.reset();
  const Tensor newcomer = gpu_tensor(7);
  require((newcomer.data_ptr() == captured_address) == wrong,
          "the newcomer has the input's memory if it is free");

  replay(graph);
  expect_intact(y, 2);
}

MISUSE(replay, more_elements_than_captured,
       .title = "A replay works on as many elements as were captured; the rest of a larger buffer is left "
                "as it was",
       .claims = {"cap.dynamic-shapes"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1), y = gpu_tensor(0);
  std::int64_t rows = wrong ? 512 : x.size(0);  // don't: capture the largest size that will be needed
  const Graph graph = capture([&] {
    Tensor part = y.narrow(0, 0, rows);
    at::mul_out(part, x.narrow(0, 0, rows), x.narrow(0, 0, rows));
  });

  rows = x.size(0);
  x.fill_(3);
  fill_canary(y);
  replay(graph);
  expect_intact(y.narrow(0, 0, rows), 9);
}
