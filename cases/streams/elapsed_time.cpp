#include "case.h"
#include "support/gate.h"
#include "support/memory.h"

MISUSE(streams, elapsed_time_without_timing,
       .title = "elapsed_time() of events made with the default flags is refused: they do not time",
       .claims = {"evt.timing.off-by-default", "cpp.event.default-flags"}) {
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
       .claims = {"evt.elapsed.unrecorded"}) {
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
       .claims = {"evt.elapsed.incomplete"}) {
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
