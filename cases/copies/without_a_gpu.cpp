#include <cstdlib>

#include "case.h"
#include "support/host_memory.h"

MISUSE(copies, pin_memory_without_a_gpu,
       .title = "Where no GPU is visible pin_memory() is refused, the second time as the first; the source stays usable",
       .claims = {"pin.no-accelerator"},
       .links = {"https://github.com/pytorch/pytorch/issues/73003", "https://github.com/pytorch/pytorch/issues/159740"},
       .needs = {.gpus = 0}) {
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const Tensor x = pageable_tensor(1);
  Tensor batch = x;
  for (const char* time : {"first time", "second time"})
    attempt(time, [&] {
      if (wrong || at::hasCUDA()) batch = x.pin_memory();  // don't: only a GPU's driver can pin, so ask first
    });
  expect_equal(batch + x, 2);
}
