#include <stdexcept>

#include "case.h"

MISUSE(errors, index_past_the_end_on_the_cpu,
       .title = "On the CPU an index past the end is an exception of the call that has it, and nothing is "
                "lost",
       .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const std::int64_t position = wrong ? 9 : 7;  // don't: 8 elements end at 7
  const Tensor x = at::arange(8, at::kFloat), index = at::full({2}, position, at::kLong);
  attempt("select", [&] { expect_equal(x.select(0, position), 7); });
  attempt("index", [&] { expect_equal(x.index({index}), 7); });
  attempt("index_select", [&] { expect_equal(x.index_select(0, index), 7); });
  attempt("gather", [&] { expect_equal(at::gather(x, 0, index), 7); });
  expect_equal(x.sum(), 28);
}

OBSERVE(errors, kinds_of_exception,
        .title = "What a refused operation throws tells its kind: an index, a value, a missing kernel, a "
                 "factorisation",
        .claims = {"evt.timing.off-by-default"},
        .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  attempt("index", [] { at::ones({4}).select(0, 4); });
  attempt("value", [] {
    const c10::cuda::CUDAEvent start, end;
    (void)start.elapsed_time(end);
  });
  attempt("missing kernel", [] { at::ones({1}, at::kMeta).item(); });
  attempt("factorisation", [] { at::linalg_cholesky(at::zeros({2, 2})); });
  attempt("anything else", [] { at::ones({4}).view({3}); });
}

OBSERVE(errors, text_of_an_error_that_names_a_device,
        .title = "The C string of an error that names device 0 ends there: the index is a NUL byte, which "
                 "only msg() keeps",
        .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const auto refused = [] {  // CUDA was not started yet
    (void)c10::cuda::CUDACachingAllocator::getDeviceStats(0);
  };
  attempt("msg", refused);  // what is recorded of a c10::Error is its msg()
  attempt("what", [&] {
    try {
      refused();
    } catch (const std::exception& error) {
      throw std::runtime_error(c10::GetExceptionString(error));  // which is made from what()
    }
  });
}

MISUSE(errors, negative_probability_on_the_cpu,
       .title = "multinomial() on the CPU refuses a negative probability, with replacement and without",
       .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const Tensor weights =
      at::tensor({0.0, 2.0, wrong ? -1.0 : 0.0});  // don't: weights must be finite, 0 or more
  attempt("without replacement", [&] { expect_equal(at::multinomial(weights, 1), 1); });
  attempt("with replacement", [&] { expect_equal(at::multinomial(weights, 4, /*replacement=*/true), 1); });
}
