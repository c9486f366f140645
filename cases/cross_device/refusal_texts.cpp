#include "case.h"
#include "support/capture.h"

OBSERVE(cross_device, how_operations_word_the_refusal,
        .title = "A CPU tensor beside a CUDA tensor is refused by every operation here, each with its own "
                 "words",
        .claims = {"xdev.cpu-gpu.op-error"}, .isolation = Isolation::shared) {
  const Tensor x = at::full({4, 4}, 2.0, at::device(at::kCUDA)), host = at::full({4, 4}, 3.0);
  const Tensor host_index = at::zeros({4, 4}, at::kLong);
  attempt("add", [&] { x + host; });
  attempt("where", [&] { at::where(x > 0, x, host); });
  attempt("mm", [&] { at::mm(x, host); });
  attempt("cat", [&] { at::cat({x, host}); });
  attempt("gather", [&] { at::gather(x, 0, host_index); });
  attempt("index_select", [&] { x.index_select(0, host_index[0]); });
  attempt("equal", [&] { at::equal(x, host); });
  check_recovery();
}

MISUSE(cross_device, cpu_and_meta_operands,
       .title = "The device check needs no GPU: a CPU tensor beside a meta tensor is refused in the same "
                "words",
       .claims = {"xdev.cpu-gpu.op-error"},
       .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  Tensor host = at::full({4}, 2.0);
  const Tensor other =
      at::ones({4}, wrong ? at::kMeta : at::kCPU);  // don't: a meta tensor has a shape and no values
  const bool added = attempt("add", [&] { expect_equal(host + other, 3); });
  const bool in_place = attempt("add_", [&] { host.add_(other); });
  expect_equal(host, added && in_place ? 3 : 2);
}
