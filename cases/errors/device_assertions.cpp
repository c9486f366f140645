#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "case.h"
#include "support/capture.h"
#include "support/gate.h"

MISUSE(errors, index_past_the_end_on_the_gpu,
       .title = "gather() past the end on a GPU trips a device assertion, and everything on it fails from "
                "then on",
       .claims = {"async.error-late", "err.sticky-assert"}, .isolation = Isolation::right_shared) {
  const Tensor x = gpu_tensor(2);
  Tensor index =
      at::full({4}, wrong ? 1024 : 1023, x.options().dtype(at::kLong));  // don't: x has 1024 elements
  attempt("gather", [&] {
    const Tensor y = at::gather(x, 0, index);
    c10::cuda::device_synchronize();
    expect_equal(y, 2);
  });
  attempt("next operation", [&] { expect_equal(x * 3, 6); });
  attempt("synchronize", [&] { c10::cuda::device_synchronize(); });
  attempt("copy to the host", [&] { expect_equal(x, 2); });
}

MISUSE(errors, negative_probability_on_the_gpu,
       .title = "On a GPU a negative probability trips a device assertion in multinomial(), and all later "
                "work fails",
       .claims = {"async.error-late", "err.sticky-assert"}, .isolation = Isolation::right_shared) {
  Tensor weights = gpu_tensor(1);
  if (wrong) weights[5] = -1;  // don't: what a GPU finds out while it runs, it can only stop at
  attempt("without replacement", [&] { EXPECT_EQ(at::multinomial(weights, 2).numel(), 2); });
  attempt("with replacement", [&] {
    const Tensor picked = at::multinomial(weights, 2, /*replacement=*/true);
    c10::cuda::device_synchronize();
  });
  attempt("next operation", [&] { expect_equal(gpu_tensor(2) * 3, 6); });
}

CASE(errors, assertion_surfaces_later,
     .title = "The operation that trips a device assertion returns normally; the next synchronisation throws",
     .claims = {"async.error-late", "async.launch-returns-early"}) {
  const Tensor x = gpu_tensor(2);
  const Tensor good = at::full({4}, 1023, x.options().dtype(at::kLong)), bad = good + 1;
  expect_equal(at::gather(x, 0, good), 2);
  Gate gate;
  gate.hold(c10::cuda::getCurrentCUDAStream());
  EXPECT_NO_THROW(at::gather(x, 0, bad));
  gate.open();
  EXPECT_THROW(c10::cuda::device_synchronize(), c10::AcceleratorError);
}

CASE(errors, launch_blocking_names_the_culprit,
     .title = "With CUDA_LAUNCH_BLOCKING=1 the operation that trips a device assertion throws it itself",
     .claims = {"async.error-at-op", "env.launch_blocking"}) {
  ::setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  const Tensor x = gpu_tensor(2), bad = at::full({4}, 1024, x.options().dtype(at::kLong));
  EXPECT_NO_THROW(x * 3);
  EXPECT_THROW(at::gather(x, 0, bad), c10::AcceleratorError);
}

OBSERVE(errors, new_process_after_an_assertion,
        .title = "After a device assertion this process has lost the GPU, and a new process finds it well",
        .claims = {"err.sticky-assert"},
        .time_limit_s = 60) {
  attempt("assertion", [] {
    at::_assert_async(at::zeros({1}, at::device(at::kCUDA)));
    c10::cuda::device_synchronize();
  });
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  FILE* probe = ::popen(("'" + self + "' --probe 2>/dev/null").c_str(), "r");
  require(probe != nullptr, "a new process was started");
  std::string said;
  for (int c = std::fgetc(probe); c != EOF; c = std::fgetc(probe)) said.push_back(static_cast<char>(c));
  ::pclose(probe);
  const bool healthy = nlohmann::json::parse(said).at("gpus").at(0).at("healthy");
  fact("new_process", healthy ? "well" : "not well");
  attempt("this process", [] { expect_equal(gpu_tensor(2) * 3, 6); });
}
