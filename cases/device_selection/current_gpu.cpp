#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDAException.h>
#include <torch/cuda.h>

#include <cstdlib>

#include "case.h"
#include "support/memory.h"

CASE(device_selection, properties_of_the_current_gpu,
     .title = "Device properties without an index are those of the current GPU, as the CUDA runtime gives them",
     .claims = {"cpp.props.current", "cpp.props.warp-size"}, .isolation = Isolation::shared) {
  cudaDeviceProp runtimes{};
  C10_CUDA_CHECK(cudaGetDeviceProperties(&runtimes, 0));
  const cudaDeviceProp* const current = at::cuda::getCurrentDeviceProperties();
  EXPECT_EQ(current, at::cuda::getDeviceProperties(0));
  EXPECT_STREQ(current->name, runtimes.name);
  EXPECT_EQ(current->major, runtimes.major);
  EXPECT_EQ(current->minor, runtimes.minor);
  EXPECT_EQ(at::cuda::warp_size(), 32);
}

CASE(device_selection, current_device_is_the_runtimes,
     .title = "current_device() is what the CUDA runtime calls current, also after cudaSetDevice() past PyTorch",
     .claims = {"dev.current_device.value"}, .isolation = Isolation::shared) {
  for (int index = 0; index < c10::cuda::device_count(); ++index) {
    C10_CUDA_CHECK(cudaSetDevice(index));
    EXPECT_EQ(c10::cuda::current_device(), index);
    EXPECT_EQ(gpu_tensor(index).device().index(), index);
  }
  C10_CUDA_CHECK(cudaSetDevice(0));
}

CASE(device_selection, nothing_is_available_without_a_gpu,
     .title = "With every GPU hidden the count is 0, and neither CUDA nor cuDNN is available, without an error",
     .claims = {"dev.cudnn_is_available", "dev.is_available.any"},
     .needs = {.gpus = 0}) {
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_EQ(torch::cuda::device_count(), 0);
  EXPECT_FALSE(torch::cuda::is_available());
  EXPECT_FALSE(torch::cuda::cudnn_is_available());
}

CASE(device_selection, options_of_a_gpu_tensor_name_its_gpu,
     .title = "Asked for \"cuda\", a tensor's options name the GPU that it got; options made by hand keep no index",
     .claims = {"dev.torchdevice.tensor-has-index"}, .isolation = Isolation::shared) {
  const auto asked = at::device(at::kCUDA).dtype(at::kHalf);
  require(!asked.device().has_index(), "the options name no GPU");
  const Tensor dense = at::zeros({4, 4}, asked);
  for (const Tensor& made : {dense, dense.to_sparse(), at::zeros({0}, asked)}) {
    EXPECT_EQ(made.options().device(), at::Device(at::kCUDA, c10::cuda::current_device()));
    EXPECT_EQ(made.options().dtype(), at::kHalf);
  }
}
