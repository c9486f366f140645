#include <c10/cuda/CUDAException.h>

#include "case.h"
#include "support/gate.h"
#include "support/memory.h"

MISUSE(streams, elapsed_time_without_timing,
       .title = "elapsed_time() of events made with the default flags is refused: they do not time",
       .claims = {"evt.timing.off-by-default", "cpp.event.default-flags"}, .isolation = Isolation::shared) {
  const unsigned by_default = cudaEventDisableTiming, timing = cudaEventDefault;
  const unsigned flags = wrong ? by_default : timing;  // don't: what CUDAEvent() chooses does not time
  c10::cuda::CUDAEvent begin(flags), end(flags);
  begin.record();
  Tensor x = gpu_tensor(1);
  end.record();
  end.synchronize();
  attempt("elapsed_time", [&] { begin.elapsed_time(end); });
  EXPECT_TRUE(end.query());
}

MISUSE(streams, elapsed_time_of_an_event_not_recorded,
       .title = "elapsed_time() up to an event that was never recorded is refused, and works once it is "
                "recorded",
       .claims = {"evt.elapsed.unrecorded"}, .isolation = Isolation::shared) {
  c10::cuda::CUDAEvent begin(cudaEventDefault), end(cudaEventDefault);
  begin.record();
  begin.synchronize();
  if (wrong) attempt("elapsed_time", [&] { begin.elapsed_time(end); });  // don't: record both first
  end.record();
  end.synchronize();
  attempt("elapsed_time afterwards", [&] { begin.elapsed_time(end); });
}

MISUSE(streams, elapsed_time_before_completion,
       .title = "elapsed_time() up to an event that is still pending is refused, and works once it has "
                "completed",
       .claims = {"evt.elapsed.incomplete"}, .isolation = Isolation::shared) {
  c10::cuda::CUDAEvent begin(cudaEventDefault), end(cudaEventDefault);
  const auto stream = c10::cuda::getCurrentCUDAStream();
  Gate gate;
  begin.record(stream);
  gate.hold(stream);
  end.record(stream);
  if (!wrong) {  // the host must wait for the later event first
    gate.open();
    end.synchronize();
  }
  attempt("elapsed_time", [&] { begin.elapsed_time(end); });

  gate.open();
  end.synchronize();
  attempt("elapsed_time afterwards", [&] { begin.elapsed_time(end); });
}

CASE(streams, unit_of_times_between_events,
     .title = "Between two events elapsed_time() gives CUDA's milliseconds, and nothing from an event to itself",
     .claims = {"evt.elapsed.ms"}, .isolation = Isolation::shared) {
  c10::cuda::CUDAEvent begin(cudaEventDefault), end(cudaEventDefault);
  begin.record();
  for (int i = 0; i < 10; ++i) (void)gpu_tensor(i);
  end.record();
  end.synchronize();
  float cudas = -1;
  C10_CUDA_CHECK(cudaEventElapsedTime(&cudas, begin.event(), end.event()));
  const float between = begin.elapsed_time(end), to_itself = begin.elapsed_time(begin);
  EXPECT_EQ(between, cudas);
  EXPECT_EQ(to_itself, 0);
}
