#include "case.h"
#include "support/capture.h"

MISUSE(replay, outputs_collected,
       .title = "Outputs collected over several replays all equal the last one, since they are one tensor; "
                "clone() keeps each",
       .claims = {"rep.outputs-hold-last", "nv.lifetime.output-overwritten"},
       .links = {"https://github.com/pytorch/pytorch/issues/144386"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(0), y;
  const Graph graph = capture([&] { y = x * x + 1; });
  std::vector<Tensor> outputs;
  for (const double value : {0., 1., 2.}) {
    x.fill_(value);
    replay(graph);
    outputs.push_back(wrong ? y : y.clone());  // don't: the next replay writes to y again
  }
  expect_intact(outputs[0], 1);
  expect_intact(outputs[1], 2);
  expect_intact(outputs[2], 5);
}

CASE(replay, output_outlives_the_graph,
     .title = "An output stays valid, and its memory is not given to others, after its graph was destroyed",
     .claims = {"gmem.private.lifetime"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y;
  Graph graph = capture([&] { y = x * 3; });
  replay(graph);
  graph.reset();
  empty_cache();
  const Tensor newcomer = gpu_tensor(7);
  EXPECT_NE(newcomer.data_ptr(), y.data_ptr());
  expect_equal(y, 6);
}

CASE(replay, eager_work_between_replays,
     .title = "Eager work between replays neither disturbs the graph's memory nor is disturbed by it",
     .claims = {"gmem.private.eager-interleave", "gmem.private.default"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1), y;
  const Graph graph = capture([&] { y = (x * 2 + 1) * 3; });
  std::vector<Tensor> eager;
  for (int turn = 0; turn < 8; ++turn) {
    x.fill_(turn);
    replay(graph);
    eager.push_back(y * 2 + gpu_tensor(turn));
    expect_equal(y, turn * 6 + 3);
  }
  for (int turn = 0; turn < 8; ++turn) expect_equal(eager[turn], turn * 13 + 6);
}
