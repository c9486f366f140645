// Forcing an interleaving: a gate holds a stream until the case opens it. No case sleeps.
#pragma once

#include <c10/cuda/CUDAStream.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace cudasem {

/// Closed when made; what is enqueued on a stream behind it does not begin before open(). The stream waits on
/// a flag in mapped host memory (cuStreamWaitValue32), so other streams run on, and a capture may hold a gate
/// too: then the replay waits.
///
/// While a gate is closed, nothing may free memory to CUDA or wait for the device: it would wait for the
/// gate. Run every kernel once before closing one (they are loaded at first use). A gate opens by itself
/// after 2 s, and the case is then `fail (setup)`: nothing it saw afterwards was forced.
class Gate {
 public:
  Gate();
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Work enqueued on `stream` from here on waits until the gate is open.
  void hold(const c10::cuda::CUDAStream& stream);

  /// Lets everything go. Ends the case as `fail (setup)` if the gate had opened by itself.
  void open();

 private:
  void watch();

  volatile std::uint32_t* flag_ = nullptr;
  std::mutex mutex_;
  std::condition_variable opened_changed_;
  bool opened_ = false;
  bool expired_ = false;
  std::thread watchdog_;
};

}  // namespace cudasem
