// For `doctor`: what around a run can spoil it or would help it, GPUs shared with others, disk, tools.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "process.h"

namespace cudasem {

struct Finding {
  enum Level { good, absent, broken };  ///< `broken`: a run cannot be valid
  Level level = good;
  std::string what = {}, text = {};
};

/// From `nvidia-smi --query-gpu=index,memory.free,memory.total,mig.mode.current
/// --format=csv,noheader,nounits`: free memory of each GPU, and MIG where it is on.
std::vector<Finding> gpu_memory(std::string_view csv);

/// From `nvidia-smi --query-compute-apps=pid,process_name,used_memory --format=csv,noheader,nounits`. Other
/// processes take memory that cases count on, and time that they measure.
std::vector<Finding> gpu_processes(std::string_view csv);

/// Processes that hold an NVIDIA device open, where there is no nvidia-smi to ask. `proc` is "/proc" outside
/// tests.
std::vector<Finding> device_holders(const std::filesystem::path& proc = "/proc");

/// Room for logs in `folder`, or where it would be made.
Finding disk(const std::filesystem::path& folder);
Finding disk_finding(const std::filesystem::path& folder, uintmax_t free_bytes);

/// Programs that explain a hang or a bad access, looked for in `path` (PATH).
std::vector<Finding> tools(std::string_view path);

/// All of it, asking nvidia-smi where it is.
std::vector<Finding> surroundings(SubprocessSet& set, const std::filesystem::path& log_folder);

}  // namespace cudasem
