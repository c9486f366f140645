// Keeps the machine busy while a case is tried under load.
#pragma once

#include <memory>
#include <vector>

#include "process.h"

namespace cudasem {

class Load {
 public:
  /// `processes` children that compute for nothing. They end with this object, and with the runner.
  Load(SubprocessSet& set, int processes);
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::vector<std::shared_ptr<Subprocess>> children_;
};

}  // namespace cudasem
