#include <ATen/cuda/CUDAEvent.h>

#include "case.h"
#include "support/capture.h"
#include "support/environment.h"
#include "support/torch_compat.h"

MISUSE(allocator, freed_in_a_capture_after_record_stream,
       .title = "A tensor freed in a capture after record_stream() is reused there, once the streams have "
                "joined, only with graph_capture_record_stream_reuse:True",
       .claims = {"conf.capture_reuse.default", "conf.capture_reuse.on"}, .needs = {.caching = true}) {
  // don't: rely on reuse in a long capture without it
  set_alloc_conf(wrong ? "graph_capture_record_stream_reuse:False"
                       : "graph_capture_record_stream_reuse:True");
  const auto side = c10::cuda::getStreamFromPool(false);
  Tensor source = gpu_tensor(1), out = gpu_tensor(0);
  source.mul_(1);
  const void *block = nullptr, *before_join = nullptr, *after_join = nullptr;
  const auto graph = capture([&] {
    at::cuda::CUDAEvent forked, done;
    Tensor used = source * 2;
    block = used.const_data_ptr();
    forked.record();
    forked.block(side);
    {
      const c10::cuda::CUDAStreamGuard on_side(side);
      out.add_(used);
    }
    c10::cuda::CUDACachingAllocator::recordStream(used.storage().data_ptr(), side);
    used.reset();
    const Tensor not_yet = source * 3;
    before_join = not_yet.const_data_ptr();
    done.record(side);
    done.block(c10::cuda::getCurrentCUDAStream());
    const Tensor joined = source * 4;
    after_join = joined.const_data_ptr();
  });
  replay(graph);
  expect_equal(out, 2);
  EXPECT_NE(before_join, block);
  fact("after_the_join", after_join == block ? "the freed block" : "another block");
}

MISUSE(allocator, capture_reuse_with_an_if_node,
       .title = "With graph_capture_record_stream_reuse:True an if-node cannot be captured",
       .claims = {"conf.capture_reuse.vs-conditional"},
       .needs = {.features = {"if_nodes"}, .caching = true}) {
  set_alloc_conf(wrong ? "graph_capture_record_stream_reuse:True"  // don't: together with conditional nodes
                       : "graph_capture_record_stream_reuse:False");
  const Tensor run = at::ones({}, at::device(at::kCUDA).dtype(at::kBool));
  Tensor y = gpu_tensor(1);
  y.mul_(1);
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  graph.capture_begin();
  y.add_(1);
  attempt("begin_capture_to_if_node", [&] { capture_if(graph, run, [&] { y.mul_(10); }); });
  const bool ended = attempt("capture_end", [&] { graph.capture_end(); });
  if (!ended) return;
  graph.replay();
  expect_equal(y, wrong ? 2 : 20);
}
