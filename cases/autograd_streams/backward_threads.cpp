#include <stdexcept>
#include <thread>
#include <vector>

#include "case.h"
#include "support/memory.h"

OBSERVE(autograd_streams, exception_on_the_thread_of_backward,
        .title = "An exception thrown in a hook of a GPU tensor's backward reaches the caller, with its type and text",
        .claims = {"bwd.op-on-forward-stream"}, .isolation = Isolation::shared) {
  Tensor w = gpu_tensor(3).requires_grad_(), y = w * 2;
  y.register_hook([](const Tensor&) { throw std::runtime_error("the hook gave up"); });
  attempt("backward", [&] { y.sum().backward(); });
  EXPECT_FALSE(w.grad().defined());
  (w * 5).sum().backward();
  expect_equal(w.grad(), 5);
}

CASE(autograd_streams, threads_add_to_one_gradient,
     .title = "Ten threads that run their own backward() into one leaf lose nothing: the gradient is the sum of all",
     .claims = {"bwd.apis-covered"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const Tensor w = at::full({1024}, 3.0).requires_grad_();
  std::vector<std::thread> threads;
  for (int factor = 1; factor <= 10; ++factor)
    threads.emplace_back([&w, factor] {
      for (int i = 0; i < 20; ++i) (w * factor).sum().backward();
    });
  for (std::thread& thread : threads) thread.join();
  expect_equal(w.grad(), 20 * 55);
}
