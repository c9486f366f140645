#include "case.h"
#include "support/gate.h"
#include "support/memory.h"

MISUSE(streams, freed_while_another_stream_reads,
       .title = "A tensor freed while a side stream still reads it is silently overwritten by the next "
                "allocation",
       .claims = {"str.record.omitted", "str.record.protects"},
       .links = {"https://github.com/NVIDIA/TensorRT-LLM/pull/15265", "https://github.com/sgl-project/sglang/pull/34076"},
       .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1), seen = gpu_tensor(kCanary);
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(side);
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    seen.copy_(x);
  }
  if (!wrong) x.record_stream(side);  // else the allocator knows only the stream on which x was made
  const void* const block = x.data_ptr();
  x.reset();
  Tensor next = gpu_tensor(2);
  require((next.data_ptr() == block) == wrong, "the block is given out again only if nothing protects it");

  c10::cuda::getCurrentCUDAStream().synchronize();
  gate.open();
  side.synchronize();
  expect_intact(seen, 1);
}

MISUSE(streams, record_stream_of_the_wrong_stream,
       .title = "record_stream(current stream) in the producer's guard protects nothing: it must name the "
                "consumer",
       .claims = {"str.record.protects", "str.record.not-needed-same-stream"},
       .links = {"https://github.com/huggingface/diffusers/pull/12721"}, .isolation = Isolation::shared) {
  Tensor loaded, seen = gpu_tensor(kCanary);
  const auto consumer = c10::cuda::getCurrentCUDAStream(), producer = c10::cuda::getStreamFromPool(false);
  {
    const c10::cuda::CUDAStreamGuard on_producer(producer);
    loaded = gpu_tensor(1);
    const auto current = c10::cuda::getCurrentCUDAStream();  // don't: in here this is the producer
    loaded.record_stream(wrong ? current : consumer);
  }
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(consumer);
  seen.copy_(loaded);
  const void* const block = loaded.data_ptr();
  loaded.reset();
  {
    const c10::cuda::CUDAStreamGuard on_producer(producer);
    Tensor next = gpu_tensor(2);
    require((next.data_ptr() == block) == wrong, "the block is given out again only if nothing protects it");
  }
  producer.synchronize();
  gate.open();
  expect_intact(seen, 1);
}

CASE(streams, record_stream_covers_work_queued_after_it,
     .title = "record_stream() protects a tensor from all that the stream was given before the tensor was "
              "freed",
     .claims = {"str.record.at-deallocation", "str.record.protects"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(1), seen = gpu_tensor(kCanary);
  const auto side = c10::cuda::getStreamFromPool(false);
  c10::cuda::device_synchronize();
  x.record_stream(side);  // nothing is queued yet

  Gate gate;
  gate.hold(side);
  {
    const c10::cuda::CUDAStreamGuard on_side(side);
    seen.copy_(x);
  }
  const void* const block = x.data_ptr();
  x.reset();
  EXPECT_NE(gpu_tensor(2).data_ptr(), block);
  gate.open();
  side.synchronize();
  expect_equal(seen, 1);
}

CASE(streams, record_stream_of_a_view,
     .title = "record_stream() of a view protects the whole block, also if the view begins in its middle",
     .claims = {"str.record.protects"},
     .links = {"https://github.com/pytorch/pytorch/pull/27371"}, .isolation = Isolation::shared) {
  const auto side = c10::cuda::getStreamFromPool(false);
  Tensor base = gpu_tensor(1);
  Tensor second_half = base.slice(0, 512);
  c10::cuda::device_synchronize();
  Gate gate;
  gate.hold(side);
  second_half.record_stream(side);
  const void* const block = base.data_ptr();
  base.reset();
  second_half.reset();
  Tensor next = gpu_tensor(2);
  EXPECT_NE(next.data_ptr(), block);
  gate.open();
}
