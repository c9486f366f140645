#include <ATen/cuda/CUDAEvent.h>
#include <torch/cuda.h>

#include <type_traits>

#include "case.h"
#include "support/host_memory.h"
#include "support/memory.h"

CASE(streams, queries_without_a_device,
     .title = "Without a device the current, the default and a pool stream are the current GPU's; priority is normal",
     .claims = {"str.current.arg-default", "str.ctor.device-default", "cpp.pool.defaults"},
     .isolation = Isolation::shared) {
  const auto here = c10::cuda::current_device();
  const c10::cuda::CUDAStreamGuard on_side(c10::cuda::getStreamFromPool());
  EXPECT_EQ(c10::cuda::getCurrentCUDAStream(), c10::cuda::getCurrentCUDAStream(here));
  EXPECT_EQ(c10::cuda::getDefaultCUDAStream(), c10::cuda::getDefaultCUDAStream(here));
  EXPECT_NE(c10::cuda::getCurrentCUDAStream(), c10::cuda::getDefaultCUDAStream());
  EXPECT_EQ(c10::cuda::getStreamFromPool().device_index(), here);
  EXPECT_EQ(c10::cuda::getStreamFromPool(false, -1).device_index(), here);
  EXPECT_EQ(c10::cuda::getStreamFromPool().priority(), 0);
}

CASE(streams, event_recorded_without_a_stream,
     .title = "record() without a stream records on the stream that is current, not on the default one",
     .claims = {"evt.record.default-stream-arg"}, .isolation = Isolation::shared) {
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent on_default, inside;
  Gate gate;
  gate.hold(side);
  on_default.record();
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    inside.record();
  }
  on_default.synchronize();
  EXPECT_FALSE(inside.query());
  gate.open();
  inside.synchronize();
  EXPECT_TRUE(inside.query());
}

CASE(streams, synchronize_without_a_device,
     .title = "torch::cuda::synchronize() without an index holds the host for every stream of the current GPU",
     .claims = {"cpp.synchronize.default"}, .isolation = Isolation::shared) {
  const auto side = c10::cuda::getStreamFromPool(false);
  Tensor x = gpu_tensor(1);
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(side);
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    x.fill_(2);
  }
  EXPECT_FALSE(returns_while_closed(gate, [] { torch::cuda::synchronize(); }));
  EXPECT_TRUE(side.query());
}

CASE(streams, interprocess_event_before_its_record,
     .title = "Asking an event that was never recorded for its process handle makes it, on the current GPU",
     .claims = {"evt.ipc.handle-before-record"}, .isolation = Isolation::shared) {
  c10::cuda::CUDAEvent event(cudaEventInterprocess | cudaEventDisableTiming);
  require(!event.isCreated(), "the event is not there before it is used");
  cudaIpcEventHandle_t handle{};
  event.ipc_handle(&handle);
  EXPECT_TRUE(event.isCreated());
  EXPECT_EQ(event.device_index(), c10::cuda::current_device());
  EXPECT_TRUE(event.query());
}

CASE(streams, one_event_class,
     .title = "at::cuda::CUDAEvent and c10::cuda::CUDAEvent are one class, which moves and does not copy",
     .claims = {"cpp.event.header-moved", "cpp.event.movable"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  EXPECT_TRUE((std::is_same_v<at::cuda::CUDAEvent, c10::cuda::CUDAEvent>));
  EXPECT_TRUE(std::is_nothrow_move_constructible_v<c10::cuda::CUDAEvent>);
  EXPECT_FALSE(std::is_copy_constructible_v<c10::cuda::CUDAEvent>);
  EXPECT_FALSE(std::is_copy_assignable_v<c10::cuda::CUDAEvent>);
}
