#include "case.h"
#include "support/gate.h"
#include "support/host_memory.h"
#include "support/memory.h"

CASE(streams, device_synchronize_waits_for_every_stream,
     .title = "device_synchronize() waits for all streams of the device, not only for the current one",
     .claims = {"sync.device.all-streams"}, .isolation = Isolation::shared) {
  const auto a = c10::cuda::getStreamFromPool(false), b = c10::cuda::getStreamFromPool(false);
  Gate gate;
  gate.hold(a);
  gate.hold(b);
  EXPECT_TRUE(c10::cuda::getCurrentCUDAStream().query());
  EXPECT_FALSE(returns_while_closed(gate, [] { c10::cuda::device_synchronize(); }));
  EXPECT_TRUE(a.query());
  EXPECT_TRUE(b.query());
}

MISUSE(streams, item_in_sync_debug_mode,
       .title = "With the sync debug mode at error, item() is refused, and what only enqueues work is not",
       .claims = {"sync.debug.error", "sync.debug.default", "async.item-syncs"},
       .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2);
  auto& state = c10::cuda::warning_state();
  state.set_sync_debug_mode(c10::cuda::SyncDebugMode::L_ERROR);
  if (wrong) attempt("item", [&] { x[0].item(); });  // don't: the host waits for the GPU here
  attempt("operation", [&] { x = x * 3; });
  state.set_sync_debug_mode(c10::cuda::SyncDebugMode::L_DISABLED);
  EXPECT_EQ(x[0].item<float>(), 6);
}

MISUSE(streams, item_in_sync_debug_warning_mode,
       .title = "With the sync debug mode at warn, item() works and says that it makes the host wait",
       .claims = {"sync.debug.warn", "async.item-syncs"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  auto& state = c10::cuda::warning_state();
  state.set_sync_debug_mode(c10::cuda::SyncDebugMode::L_WARN);
  const float factor = wrong ? x[0].item<float>() : 2.0F;  // don't ask the GPU for what the host knows
  const Tensor y = x * factor;
  state.set_sync_debug_mode(c10::cuda::SyncDebugMode::L_DISABLED);
  expect_equal(y, 4);
}
