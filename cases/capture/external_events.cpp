#include <c10/cuda/CUDAException.h>

#include "case.h"
#include "support/capture.h"
#include "support/gate.h"

MISUSE(capture, timed_by_events_of_the_capture,
       .title = "Events recorded in a capture time nothing: elapsed_time() after the replay is refused; "
                "external events are recorded at each replay",
       .claims = {"evt.external.in-capture"},
       .links = {"https://github.com/pytorch/pytorch/pull/155372",
                 "https://github.com/pytorch/pytorch/pull/146145"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  Tensor y;
  // don't: without the flag an event in a capture is an edge of the graph
  const unsigned flags = wrong ? cudaEventDefault : cudaEventExternal;
  c10::cuda::CUDAEvent start(flags), end(flags);
  const Graph graph = capture([&] {
    start.record();
    y = x * 3;
    end.record();
  });
  replay(graph);
  c10::cuda::device_synchronize();
  expect_equal(y, 6);
  attempt("elapsed_time", [&] { (void)start.elapsed_time(end); });
}

CASE(capture, external_event_orders_two_graphs,
     .title = "An external event recorded by one graph holds back another one that waits for it, replay for "
              "replay",
     .claims = {"evt.external.in-capture"},
     .links = {"https://docs.nvidia.com/cuda/cuda-programming-guide/"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1), y, z;
  c10::cuda::CUDAEvent written(cudaEventDisableTiming | cudaEventExternal);
  const Graph writer = capture([&] {
    y = x * 3;
    written.record();
  });
  const Graph reader = capture([&] {
    written.block(capture_stream());
    z = y + 1;
  });
  replay(writer, reader);
  require_equal(z, 4);
  const auto one = c10::cuda::getStreamFromPool(false), two = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();

  x.fill_(5);
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(one);
  {
    const c10::cuda::CUDAStreamGuard on_one(one);
    replay(writer);
  }
  {
    const c10::cuda::CUDAStreamGuard on_two(two);
    replay(reader);
  }
  EXPECT_FALSE(two.query());
  gate.open();
  c10::cuda::device_synchronize();
  expect_equal(z, 16);
}
