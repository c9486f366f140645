#include "case.h"
#include "support/capture.h"

MISUSE(cross_device, cpu_operand_beside_a_gpu_operand,
       .title = "Adding a CPU tensor to a CUDA tensor is refused before anything runs; nothing is moved "
                "for the caller",
       .claims = {"xdev.cpu-gpu.op-error"}, .isolation = Isolation::shared) {
  const Tensor host = at::full({1024}, 2.0), x = gpu_tensor(3);
  Tensor sum;
  const bool added = attempt("add", [&] {
    sum = x + (wrong ? host : host.to(x.device()));  // don't: the copy to the GPU has to be written out
  });
  if (added) expect_equal(sum, 5);
  check_recovery();
}

CASE(cross_device, cpu_scalar_beside_a_gpu_tensor,
     .title = "A 0-dim CPU tensor joins a CUDA tensor, 0-dim or not, in either order, and the result is "
              "on the GPU",
     .claims = {"xdev.cpu-scalar.with-gpu-vector", "xdev.scalar-scalar"}, .isolation = Isolation::shared) {
  const Tensor two = at::scalar_tensor(2.0), x = gpu_tensor(12);
  for (const Tensor& operand : {x, x[0]}) {
    EXPECT_EQ((operand / two).device(), x.device());
    EXPECT_EQ((two / operand).device(), x.device());
    expect_equal(operand - two, 10);
    expect_equal(two - operand, -10);
  }
}

MISUSE(cross_device, gpu_scalar_beside_a_cpu_tensor,
       .title = "A 0-dim CUDA tensor does not join a CPU tensor, in neither order: only CPU scalars are "
                "moved",
       .claims = {"xdev.gpu-scalar.with-cpu-vector"}, .isolation = Isolation::shared) {
  const Tensor host = at::full({1024}, 12.0);
  Tensor scale = gpu_tensor(2)[0];
  if (!wrong) scale = scale.cpu();  // the way back waits for the GPU, so it has to be written out
  Tensor left, right;
  if (attempt("vector first", [&] { left = host - scale; })) expect_equal(left, 10);
  if (attempt("scalar first", [&] { right = scale - host; })) expect_equal(right, -10);
}

MISUSE(cross_device, result_on_the_cpu,
       .title = "An out tensor on the CPU for CUDA operands is refused and keeps its values",
       .claims = {"xdev.cpu-gpu.op-error"}, .isolation = Isolation::shared) {
  const Tensor x = at::full({4, 4}, 2.0, at::device(at::kCUDA));
  Tensor out =
      at::empty({4, 4}, wrong ? at::device(at::kCPU) : x.options());  // don't: results are not moved either
  fill_canary(out);
  const bool added = attempt("add_out", [&] { at::add_out(out, x, x); });
  expect_equal(out, added ? 4 : kCanary);
  const bool multiplied = attempt("mm_out", [&] { at::mm_out(out, x, x); });
  expect_equal(out, multiplied ? 16 : kCanary);
}

MISUSE(cross_device, gradient_on_the_cpu,
       .title = "backward() of a CUDA tensor with a gradient on the CPU is refused and leaves no gradient "
                "behind",
       .claims = {"xdev.cpu-gpu.op-error"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2).requires_grad_();
  const Tensor y = x * 3;
  const Tensor gradient =
      at::ones({1024}, wrong ? at::device(at::kCPU) : y.options());  // don't: make it like y
  const bool ran = attempt("backward", [&] { y.backward(gradient); });
  EXPECT_EQ(x.grad().defined(), ran);
  if (ran) expect_equal(x.grad(), 3);
}

MISUSE(cross_device, gpu_memory_read_on_the_host,
       .title = "accessor() of a CUDA tensor is given out, and the first read through it ends the process "
                "with SIGSEGV",
       .claims = {"xdev.cpu-gpu.op-error"}, .isolation = Isolation::right_shared) {
  const Tensor x = gpu_tensor(2);
  const Tensor readable = wrong ? x : x.cpu();  // don't: the address means something to the GPU alone
  const auto values = readable.accessor<float, 1>();
  mark("read");
  EXPECT_EQ(values[7], 2);
}
