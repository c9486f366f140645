#include "case.h"
#include "support/capture.h"
#include "support/gate.h"

MISUSE(shared_pool, replayed_on_two_streams,
       .title = "Replaying two graphs of one pool on two streams without an event silently corrupts the "
                "later one's output",
       .claims = {"gmem.share.concurrent", "gmem.share.capture-order-safe"}, .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor x = gpu_tensor(1), first, second;
  const Graph early = capture(pool, [&] { first = x * 2 + 0; });
  const Graph late = capture(pool, [&] { second = x * 10; });  // in the block of the temporary x * 2
  replay(early, late);
  require_equal(second, 10);

  const auto one = c10::cuda::getStreamFromPool(false), two = c10::cuda::getStreamFromPool(false);
  c10::cuda::CUDAEvent early_done;
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(one);
  {
    const c10::cuda::CUDAStreamGuard on_one(one);
    replay(early);
    early_done.record(one);
  }
  if (!wrong) early_done.block(two);  // don't leave this out: the pool needs one replay after the other
  {
    const c10::cuda::CUDAStreamGuard on_two(two);
    replay(late);
  }
  if (wrong) two.synchronize();  // `late` is done before `early` begins
  gate.open();
  c10::cuda::device_synchronize();
  expect_intact(second, 10);
}

MISUSE(shared_pool, overlapping_replays,
       .title = "When two graphs of one pool overlap in time, one reads what the other wrote to a shared "
                "block; with separate pools they may overlap",
       .claims = {"gmem.private.replays-independent", "nv.pool.concurrent-replay"},
       .isolation = Isolation::shared) {
  const auto pool = at::cuda::graph_pool_handle();
  Tensor x = gpu_tensor(1), first = x * 2 + 0, second;
  const void* shared_block = nullptr;
  c10::cuda::CUDAEvent temporary_written(cudaEventDisableTiming | cudaEventExternal);
  Gate gate;
  const Graph one = capture(pool, [&] {
    const Tensor temporary = x * 2;
    shared_block = temporary.data_ptr();
    temporary_written.record(capture_stream());
    gate.hold(capture_stream());
    first = temporary + 0;
  });
  // don't share a pool between graphs that may run at the same time
  const Graph two = capture(wrong ? pool : c10::MempoolId_t{0, 0}, [&] { second = x * 10; });
  require((second.data_ptr() == shared_block) == wrong, "in one pool the output has the temporary's block");
  replay(two);
  require_equal(second, 10);

  const auto other = c10::cuda::getStreamFromPool(false);
  replay(one);
  temporary_written.block(other);
  {
    const c10::cuda::CUDAStreamGuard on_other(other);
    replay(two);
  }
  other.synchronize();  // `two` is done, and `one` waits between writing its temporary and reading it
  gate.open();
  expect_intact(first, 2);
}
