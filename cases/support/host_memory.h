// Host memory as cases about copies need it, and how to see that a call makes the host wait.
#pragma once

#include <ATen/ATen.h>

#include <functional>

#include "support/gate.h"

namespace cudasem {

/// 1024 floats of `value` in pinned host memory.
at::Tensor pinned_tensor(double value);

/// 1024 floats of `value` in ordinary, pageable host memory.
at::Tensor pageable_tensor(double value);

/// Whether `call` returns while `gate` is closed. It runs on another thread, with this thread's current
/// stream; then the gate is opened and the call awaited. A call that has not returned after half a second
/// counts as one that waits for the gate.
bool returns_while_closed(Gate& gate, const std::function<void()>& call);

}  // namespace cudasem
