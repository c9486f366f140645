#include "case.h"
#include "support/capture.h"

MISUSE(cross_device, gpu_index_into_a_cpu_tensor,
       .title = "A CPU tensor cannot be read with an index tensor on the GPU; index_put_ takes one and "
                "writes",
       .claims = {"xdev.cpu-gpu.op-error"}, .isolation = Isolation::shared) {
  const Tensor host = at::arange(8, at::kFloat);
  Tensor index = at::full({4}, 5, at::device(at::kCUDA).dtype(at::kLong));
  if (!wrong) index = index.cpu();  // indices follow the tensor, or stay on the CPU
  Tensor picked;
  const bool read = attempt("index", [&] { picked = host.index({index}); });
  if (read) expect_equal(picked, 5);
  Tensor written = host.clone();
  const bool wrote = attempt("index_put_", [&] { written.index_put_({index}, at::full({4}, 9.0)); });
  expect_equal(written[5], wrote ? 9 : 5);
}

OBSERVE(cross_device, cpu_index_into_a_gpu_tensor,
        .title = "A CUDA tensor takes index tensors on the CPU, alone or beside CUDA ones, to read and to "
                 "write",
        .claims = {"xdev.cpu-gpu.op-error"}, .isolation = Isolation::shared) {
  Tensor x = at::arange(8, at::device(at::kCUDA).dtype(at::kFloat)).reshape({2, 4});
  const Tensor row = at::ones({3}, at::kLong),
               column = at::full({3}, 2, at::device(at::kCUDA).dtype(at::kLong));
  attempt("CPU index", [&] { expect_equal(x.index({row})[0][3], 7); });
  attempt("CPU and CUDA index", [&] { expect_equal(x.index({row, column}), 6); });
  attempt("index_put_", [&] {
    x.index_put_({row, column}, at::full({3}, 20.0, x.options()));
    expect_equal(x[1][2], 20);
  });
}

MISUSE(cross_device, cpu_values_accumulated_into_a_gpu_tensor,
       .title = "index_put_ with accumulate refuses CPU values for a CUDA tensor, and the GPU stays usable",
       .claims = {"xdev.cpu-gpu.op-error"},
       .links = {"https://github.com/pytorch/pytorch/issues/30960"}, .isolation = Isolation::shared) {
  Tensor sums = gpu_tensor(1);
  const Tensor index = at::arange(1024, sums.options().dtype(at::kLong));
  Tensor values = at::full({1024}, 2.0);
  if (!wrong) values = values.to(sums.device());  // a single value may stay on the CPU, a vector may not
  const bool ran = attempt("index_put_", [&] { sums.index_put_({index}, values, /*accumulate=*/true); });
  expect_equal(sums, ran ? 3 : 1);
  check_recovery();
}

MISUSE(cross_device, copy_into_an_index_expression,
       .title = "x.index({i}).copy_(y) changes nothing in x, silently: index() with a tensor makes a new "
                "tensor",
       .claims = {"xdev.copy_.returns-self"},
       .links = {"https://github.com/pytorch/pytorch/issues/84573"}, .isolation = Isolation::shared) {
  Tensor host = at::empty({1024});
  fill_canary(host);
  const Tensor index = at::arange(1024, at::kLong), x = gpu_tensor(5);
  if (wrong) {
    host.index({index}).copy_(x);  // don't: waiting for the copy does not help, it went elsewhere
  } else {
    host.index_put_({index}, x.cpu());
  }
  expect_intact(host, 5);
}
