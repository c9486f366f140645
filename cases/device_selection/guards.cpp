#include <type_traits>

#include "case.h"
#include "support/memory.h"

template <typename Guard>
static constexpr bool stays_in_its_scope =
    !std::is_copy_constructible_v<Guard> && !std::is_copy_assignable_v<Guard> &&
    !std::is_move_constructible_v<Guard> && !std::is_move_assignable_v<Guard>;

CASE(device_selection, guards_cannot_leave_their_scope,
     .title = "Device and stream guards can neither be copied nor moved, so none outlives the scope it "
              "was made in",
     .claims = {"cpp.guards.no-copy-move"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  EXPECT_TRUE(stays_in_its_scope<c10::cuda::CUDAGuard>);
  EXPECT_TRUE(stays_in_its_scope<c10::cuda::OptionalCUDAGuard>);
  EXPECT_TRUE(stays_in_its_scope<c10::cuda::CUDAStreamGuard>);
  EXPECT_TRUE(stays_in_its_scope<c10::cuda::OptionalCUDAStreamGuard>);
  EXPECT_TRUE(stays_in_its_scope<c10::cuda::CUDAMultiStreamGuard>);
}

MISUSE(device_selection, cuda_guard_for_a_cpu_tensor,
       .title = "A CUDAGuard made from the device of a CPU tensor is refused; a DeviceGuard takes any device",
       .claims = {"cpp.deviceguard.non-cuda"},
       .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const Tensor host = at::full({4}, 2.0);
  attempt("guard", [&] {
    if (wrong) {
      const c10::cuda::CUDAGuard guard(host.device());  // don't: code for any device needs the general guard
    } else {
      const c10::DeviceGuard guard(host.device());
      expect_equal(host.new_ones({4}) + host, 3);
    }
  });
}

CASE(device_selection, optional_guard_without_a_gpu_tensor,
     .title = "An optional guard does nothing until it is given a CUDA device, and nothing for the device "
              "of a CPU tensor",
     .claims = {"cpp.optguard.inert", "dev.device_of.cpu-noop"},
     .needs = {.gpus = 0}, .isolation = Isolation::shared) {
  const c10::cuda::OptionalCUDAGuard unset;
  EXPECT_EQ(unset.current_device(), std::nullopt);
  EXPECT_EQ(unset.original_device(), std::nullopt);

  const Tensor host = at::full({4}, 2.0);
  const c10::OptionalDeviceGuard of_host(at::device_of(host));
  EXPECT_EQ(of_host.current_device(), at::Device(at::kCPU));
  expect_equal(host.new_ones({4}) + host, 3);
}

CASE(device_selection, optional_guard_set_and_reset,
     .title = "An optional guard reports the device it was given and the one before, and forgets both at "
              "reset()",
     .claims = {"cpp.optguard.inert", "cpp.optguard.reset"}, .isolation = Isolation::shared) {
  const Tensor x = gpu_tensor(2);
  c10::cuda::OptionalCUDAGuard guard;
  guard.set_device(x.device());
  EXPECT_EQ(guard.current_device(), x.device());
  EXPECT_EQ(guard.original_device(), at::Device(at::kCUDA, 0));
  expect_equal(x * 3, 6);

  guard.reset();
  EXPECT_EQ(guard.current_device(), std::nullopt);
  EXPECT_EQ(guard.original_device(), std::nullopt);
  EXPECT_EQ(c10::cuda::current_device(), 0);
}
