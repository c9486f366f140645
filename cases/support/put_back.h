// Between two cases of one process: puts back what a case may have left, and says what cannot be put back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cudasem {

/// Made before the first case; what a fresh process has is what every case begins with.
class FreshState {
 public:
  FreshState();

  /// After each case: puts everything back and looks. Each text says what is left, "a capture of this thread
  /// goes on"; the process must then run no further case. Does not start CUDA where no case did.
  std::vector<std::string> put_back();

 private:
  void put_back_host();
  void put_back_gpus(std::vector<std::string>& dirt);
  void compare_memory(std::vector<std::string>& dirt);

  std::map<std::string, std::string> environment_;
  std::uint64_t host_seed_;
  bool fills_uninitialized_;
  std::int64_t allocated_ = 0, reserved_ = 0;
};

}  // namespace cudasem
