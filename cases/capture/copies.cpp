#include "case.h"
#include "support/capture.h"

MISUSE(capture, copy_from_pageable_memory,
       .title = "Copying pageable host memory to the GPU in a capture is refused, the capture goes on; "
                "pinned memory is read at each replay",
       .claims = {"cap.pageable-copy"},
       .links = {"https://github.com/pytorch/pytorch/pull/166765"}, .isolation = Isolation::shared) {
  Tensor host = at::full({1024}, 3.F);
  if (!wrong) host = host.pin_memory();  // don't: pageable memory cannot be copied without the host's help
  Tensor x = gpu_tensor(2), y = gpu_tensor(0), z;
  bool copied = false;
  const Graph graph = capture([&] {
    z = x * 3;
    copied = attempt("copy", [&] { y.copy_(host, /*non_blocking=*/true); });
  });

  host.fill_(5);
  replay(graph);
  expect_equal(z, 6);
  if (copied) expect_equal(y, 5);
}

MISUSE(capture, blocking_copy_to_pinned_memory,
       .title = "A blocking copy to pinned memory loses the capture, since the host would wait for it; "
                "non_blocking is right",
       .claims = {"cap.sync.explicit"}, .isolation = Isolation::right_shared) {
  Tensor x = gpu_tensor(2);
  Tensor host = at::zeros({1024}).pin_memory();
  at::cuda::CUDAGraph graph;
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard capturing(capture_stream());
    graph.capture_begin();
    attempt("copy", [&] { host.copy_(x, /*non_blocking=*/!wrong); });  // don't: blocking is the default
    if (!attempt("capture_end", [&] { graph.capture_end(); })) return;
  }
  x.fill_(8);
  graph.replay();
  c10::cuda::device_synchronize();
  expect_equal(host, 8);
}

MISUSE(capture, tensor_built_from_host_values,
       .title = "Building a GPU tensor from host values in a capture is a copy from pageable memory and is "
                "refused; full() works",
       .claims = {"cap.pageable-copy", "nv.capture.sync.tensor-literal"},
       .links = {"https://github.com/pytorch/pytorch/issues/91302"}, .isolation = Isolation::shared) {
  Tensor x = gpu_tensor(2), y = gpu_tensor(0), three;
  const Graph graph = capture([&] {
    y.copy_(x);
    attempt("tensor", [&] {
      // don't: the values are written on the host and copied from there
      three = wrong ? at::tensor({3.F}, x.options()) : at::full({1}, 3.F, x.options());
      y.mul_(three);
    });
  });
  replay(graph);
  expect_equal(y, three.defined() ? 6 : 2);
}
