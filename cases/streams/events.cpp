#include "case.h"
#include "support/gate.h"
#include "support/host_memory.h"

CASE(streams, event_never_recorded_is_complete,
     .title = "An event that was never recorded has no device, counts as complete, and waiting for it "
              "does nothing",
     .claims = {"evt.lazy", "evt.query", "cpp.event.device-optional"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const c10::cuda::CUDAEvent event;
  EXPECT_FALSE(event.isCreated());
  EXPECT_FALSE(event.device().has_value());
  EXPECT_TRUE(event.query());
  event.synchronize();
  EXPECT_FALSE(event.isCreated());
}

CASE(streams, record_once_records_once,
     .title = "The second recordOnce() of an event does nothing: it stays complete although its stream is "
              "busy",
     .claims = {"cpp.event.recordOnce"}, .isolation = Isolation::shared) {
  const auto stream = c10::cuda::getCurrentCUDAStream();
  c10::cuda::CUDAEvent event;
  event.recordOnce(stream);
  event.synchronize();
  Gate gate;
  gate.hold(stream);
  event.recordOnce(stream);
  EXPECT_TRUE(event.query());
  event.record(stream);
  EXPECT_FALSE(event.query());
  gate.open();
}

OBSERVE(streams, record_once_after_the_event_was_moved_away,
        .title = "recordOnce() on an event that was moved from: recorded anew, or taken for recorded already",
        .claims = {"cpp.event.movable", "cpp.event.recordOnce"}, .isolation = Isolation::shared) {
  c10::cuda::CUDAEvent event;
  event.recordOnce(c10::cuda::getCurrentCUDAStream());
  const c10::cuda::CUDAEvent taken = std::move(event);
  require(taken.isCreated() && !event.isCreated(), "the move left an event without a handle");
  event.recordOnce(c10::cuda::getCurrentCUDAStream());
  fact("recorded_again", event.isCreated() ? "yes" : "no");
}

OBSERVE(streams, blocking_flag_of_an_event,
        .title = "Whether cudaEventBlockingSync makes block() hold the host, as its text says, or only "
                 "synchronize()",
        .claims = {"evt.blocking-flag", "evt.wait.host-returns", "evt.synchronize.blocks-host"},
        .isolation = Isolation::shared) {
  const auto busy = c10::cuda::getStreamFromPool(false), waiting = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent event(cudaEventBlockingSync | cudaEventDisableTiming);
  {
    Gate gate;
    gate.hold(busy);
    event.record(busy);
    const bool returned = returns_while_closed(gate, [&] { event.block(waiting); });
    fact("host_in_block", returned ? "returned at once" : "waited");
    busy.synchronize();
  }
  Gate gate;
  gate.hold(busy);
  event.record(busy);
  const bool returned = returns_while_closed(gate, [&] { event.synchronize(); });
  fact("host_in_synchronize", returned ? "returned at once" : "waited");
}

MISUSE(streams, event_recorded_on_a_second_device,
       .title = "An event belongs to the device of its first record: another device may wait for it, not "
                "record it",
       .claims = {"evt.record.same-device-only", "evt.wait.any-device"}, .needs = {.gpus = 2}) {
  c10::cuda::CUDAEvent event;
  event.record(c10::cuda::getCurrentCUDAStream(0));
  const auto second = c10::cuda::getCurrentCUDAStream(1);
  if (wrong) attempt("record", [&] { event.record(second); });  // don't: an event for each device
  event.block(second);
  second.synchronize();
  EXPECT_TRUE(event.query());
}
