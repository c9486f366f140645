#include "case.h"
#include "support/capture.h"

CASE(capture, work_runs_at_replay_only,
     .title = "Captured work does not run at capture, and runs once at each replay",
     .claims = {"cap.records-not-runs", "cap.end.enables-replay"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1);
  const Graph graph = capture([&] { x.add_(3); });
  expect_equal(x, 1);
  replay(graph);
  expect_equal(x, 4);
  replay(graph, graph);
  expect_equal(x, 10);
}

CASE(capture, empty_capture_warns,
     .title = "capture_end warns when nothing was recorded; replaying such a graph does nothing",
     .claims = {"cap.empty.warns"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2);
  const Graph graph = capture([] {});
  replay(graph);
  expect_equal(x, 2);
}

MISUSE(capture, branch_on_the_host,
       .title = "An if on a host variable is decided once, at capture; where() on a GPU tensor at each "
                "replay",
       .claims = {"cap.control-flow.cpu"}, .isolation = Isolation::shared) {
  bool add = true;
  Tensor add_on_gpu = at::ones({}, at::device(at::kCUDA).dtype(at::kBool));
  Tensor x = gpu_tensor(2), y;
  const Graph graph = capture([&] {
    if (wrong) {
      y = add ? x + 10 : x - 10;  // don't: the graph holds only the branch that was taken
    } else {
      y = at::where(add_on_gpu, x + 10, x - 10);
    }
  });
  replay(graph);
  require_equal(y, 12);

  add = false;
  add_on_gpu.fill_(add);
  replay(graph);
  expect_intact(y, -8);
}
