#include "case.h"
#include "support/memory.h"

OBSERVE(cross_device, which_scalars_are_moved,
        .title = "Of the mixes of CPU and GPU tensors only a CPU scalar is moved; no operation writes to the other side",
        .claims = {"xdev.cpu-scalar.with-gpu-vector", "xdev.gpu-scalar.with-cpu-vector"},
        .links = {"https://github.com/pytorch/pytorch/issues/119609", "https://github.com/pytorch/pytorch/issues/40986"},
        .isolation = Isolation::shared) {
  const Tensor host = at::full({4}, 2.0), x = at::full({4}, 3.0, at::device(at::kCUDA));
  const Tensor host_scalar = at::scalar_tensor(2.0), scalar = x[0];
  attempt("GPU vector *= CPU scalar", [&] { expect_equal(x.clone().mul_(host_scalar), 6); });
  attempt("GPU scalar *= CPU scalar", [&] { expect_equal(scalar.clone().mul_(host_scalar), 6); });
  attempt("GPU vector == CPU scalar", [&] { EXPECT_EQ((x == host_scalar).device(), x.device()); });
  attempt("CPU vector *= GPU scalar", [&] { host.clone().mul_(scalar); });
  attempt("CPU scalar *= GPU scalar", [&] { host_scalar.clone().mul_(scalar); });
  attempt("CPU scalar *= GPU vector", [&] { host_scalar.clone().mul_(x); });
  attempt("CPU out of GPU vector and CPU scalar", [&] {
    Tensor out = at::empty({4});
    at::mul_out(out, x, host_scalar);
  });
}

CASE(cross_device, where_with_cpu_scalars,
     .title = "where() takes 0-dim CPU tensors as branches beside GPU tensors, and gives a GPU tensor",
     .claims = {"xdev.cpu-scalar.with-gpu-vector"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(3), chosen = x > 2, low = at::scalar_tensor(-1.0);
  const Tensor either = at::where(chosen, low, x), other = at::where(chosen, x, low);
  EXPECT_EQ(either.device(), x.device());
  expect_equal(either, -1);
  expect_equal(other, 3);
  expect_equal(at::where(chosen, low, at::scalar_tensor(-2.0)), -1);
}

OBSERVE(cross_device, placements_of_addmm,
        .title = "Of the eight ways to spread addmm's three operands over CPU and GPU only the two uniform ones run",
        .claims = {"xdev.cpu-gpu.op-error"}, .isolation = Isolation::shared) {
  const Tensor host = at::full({4, 4}, 2.0), x = host.cuda();
  const char* labels[] = {"CPU CPU CPU", "GPU CPU CPU", "CPU GPU CPU", "GPU GPU CPU",
                          "CPU CPU GPU", "GPU CPU GPU", "CPU GPU GPU", "GPU GPU GPU"};
  std::int64_t ran = 0;
  for (int where = 0; where < 8; ++where) {
    const auto operand = [&](int bit) { return (where & bit) != 0 ? x : host; };
    ran += attempt(labels[where], [&] { expect_equal(at::addmm(operand(1), operand(2), operand(4)), 18); });
  }
  fact("ran", ran);
}

MISUSE(cross_device, empty_tensor_of_the_other_side_in_cat,
       .title = "cat() of GPU tensors refuses a CPU tensor, also one without elements that it would skip",
       .claims = {"xdev.cpu-gpu.op-error"},
       .links = {"https://github.com/pytorch/pytorch/pull/35053"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  const Tensor nothing =
      wrong ? at::empty({0}) : x.new_empty({0});  // don't: start a list from the GPU's side
  Tensor joined;
  if (attempt("empty first", [&] { joined = at::cat({nothing, x, x}); })) expect_equal(joined, 2);
  if (attempt("empty in between", [&] { joined = at::cat({x, nothing, x}); }))
    EXPECT_EQ(joined.numel(), 2048);
}
