#include <ATen/cuda/PeerToPeerAccess.h>

#include "case.h"

static Tensor on_gpu(c10::DeviceIndex index, double value) {
  return at::full({8, 8}, value, at::Device(at::kCUDA, index));
}

MISUSE(cross_device, operands_on_two_gpus,
       .title = "Between two GPUs add, mm, cat, where and an index tensor are refused; to() first makes "
                "them legal",
       .claims = {"xdev.gpu-gpu.op-error"},
       .needs = {.gpus = 2}) {
  const Tensor x = on_gpu(0, 2);
  Tensor y = on_gpu(1, 3), index = at::zeros({8}, at::device(at::Device(at::kCUDA, 1)).dtype(at::kLong));
  if (!wrong) {  // only copies cross from one GPU to another
    y = y.to(x.device());
    index = index.to(x.device());
  }
  attempt("add", [&] { expect_equal(x + y, 5); });
  attempt("add_", [&] { x.clone().add_(y); });
  attempt("add_out", [&] {
    Tensor out = at::empty_like(y);
    at::add_out(out, x, x);
  });
  attempt("mm", [&] { expect_equal(at::mm(x, y), 48); });
  attempt("cat", [&] { at::cat({x, y}); });
  attempt("where", [&] { expect_equal(at::where(x > 2, x, y), 3); });
  attempt("index", [&] { expect_equal(x.index({index}), 2); });
}

MISUSE(cross_device, scalar_of_another_gpu,
       .title = "A 0-dim tensor on one GPU does not join a tensor on another: only CPU scalars are moved",
       .claims = {"xdev.gpu-scalar.other-gpu", "xdev.cpu-scalar.with-gpu-vector"},
       .links = {"https://github.com/pytorch/pytorch/pull/38998"},
       .needs = {.gpus = 2}) {
  const Tensor x = on_gpu(1, 12), scale = on_gpu(0, 2)[0][0];
  Tensor scaled;
  const bool ran =
      attempt("mul", [&] { scaled = x * (wrong ? scale : scale.cpu()); });  // don't: cuda:0 is not the CPU
  if (ran) EXPECT_EQ(scaled.device(), x.device());
}

CASE(cross_device, copies_between_gpus,
     .title = "copy_, to() and cuda() between two GPUs are allowed and give the values, also strided and "
              "of another dtype",
     .claims = {"xdev.copy_.cross-gpu", "xdev.to-cuda.cross-gpu", "mg.peer.copy-either-way"},
     .needs = {.gpus = 2}) {
  const Tensor x = at::arange(64, at::device(at::Device(at::kCUDA, 0)).dtype(at::kFloat)).reshape({8, 8});
  const Tensor expected = x.cpu();
  const Tensor moved = x.to(at::Device(at::kCUDA, 1));
  EXPECT_EQ(moved.device().index(), 1);
  expect_equal(moved.cpu(), expected);

  Tensor into = at::empty({8, 8}, moved.options().dtype(at::kHalf));
  into.copy_(x.t());
  expect_equal(into.cpu().to(at::kFloat), expected.t());

  const c10::cuda::CUDAGuard second(1);
  EXPECT_EQ(x.cuda().device().index(), 1);
}

OBSERVE(cross_device, peer_access_between_gpus,
        .title = "Adding tensors of two GPUs is refused although peer access is on; the documents say "
                 "\"unless\"",
        .claims = {"xdev.p2p-lifts-ban", "mg.can_access_peer"},
        .needs = {.gpus = 2}) {
  const Tensor x = on_gpu(0, 2), y = on_gpu(1, 3);
  (void)x.to(y.device());  // what turns peer access on, where there is any
  fact("peer_access", at::cuda::get_p2p_access(0, 1) && at::cuda::get_p2p_access(1, 0) ? "yes" : "no");
  attempt("add", [&] { x + y; });
}
