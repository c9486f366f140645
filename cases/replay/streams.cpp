#include "case.h"
#include "support/capture.h"
#include "support/gate.h"

MISUSE(replay, read_on_another_stream,
       .title = "A stream that reads the output of a replay on another stream without waiting gets the "
                "old values",
       .claims = {"rep.any-stream", "rep.current-stream-order"},
       .links = {"https://github.com/openmm/openmm-torch/pull/122"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y, result = gpu_tensor(0);
  const Graph graph = capture([&] { y = x * 10; });
  replay(graph);
  result.copy_(y);
  require_equal(result, 20);
  fill_canary(y);
  const auto reader = c10::cuda::getCurrentCUDAStream();
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent replayed;
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(side);  // the replay begins when the gate opens
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    replay(graph);
    replayed.record(side);
  }
  if (!wrong) replayed.block(reader);  // don't leave this out: streams do not wait for each other
  result.copy_(y);
  if (wrong) reader.synchronize();  // the reader is done before the replay begins
  gate.open();
  expect_intact(result, 20);
}

CASE(replay, on_any_stream,
     .title = "A graph may be replayed on any stream, the default one included, in the order of that "
              "stream's work",
     .claims = {"rep.any-stream", "rep.current-stream-order"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y;
  const Graph graph = capture([&] { y = x * 10; });
  double value = 2;
  for (const auto& stream : {c10::cuda::getDefaultCUDAStream(), capture_stream(),
                             c10::cuda::getStreamFromPool(false), c10::cuda::getStreamFromPool(true)}) {
    const c10::cuda::CUDAStreamGuard on(stream);
    x.fill_(++value);
    replay(graph);
    expect_equal(y, value * 10);
  }
}

CASE(replay, returns_before_the_work_is_done,
     .title = "replay() only enqueues: it returns although the stream cannot begin, and the work is done "
              "later",
     .claims = {"rep.current-stream-order", "rep.single-launch"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y;
  const Graph graph = capture([&] { y = x * 10; });
  replay(graph);
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  Gate gate;
  const c10::cuda::CUDAStreamGuard on_side(side);
  gate.hold(side);
  x.fill_(4);
  replay(graph);
  EXPECT_FALSE(side.query());
  gate.open();
  side.synchronize();
  EXPECT_TRUE(side.query());
  expect_equal(y, 40);
}

MISUSE(replay, pinned_input_overwritten_too_soon,
       .title = "Writing the next values to a pinned input before the replay has run makes that replay "
                "read them",
       .claims = {"rep.current-stream-order"}, .isolation = Isolation::shared) {
  Tensor pinned = at::full({1024}, 1.F).pin_memory();
  Tensor staged = gpu_tensor(0), y;
  const Graph graph = capture([&] {
    staged.copy_(pinned, /*non_blocking=*/true);
    y = staged * 10;
  });
  replay(graph);
  require_equal(y, 10);
  const auto stream = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard on_stream(stream);
  Gate gate;
  gate.hold(stream);
  pinned.fill_(2);
  replay(graph);
  if (!wrong) {  // don't leave this out: replay() returns before its copy from the host has run
    gate.open();
    stream.synchronize();
  }
  pinned.fill_(9);
  gate.open();
  expect_intact(y, 20);
}
