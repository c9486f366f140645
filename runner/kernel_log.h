// What the NVIDIA driver told the kernel log: Xid lines, where this user may read them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudasem {

/// "NVRM: Xid (PCI:0000:3b:00): 31, pid=17, …" of one record of /dev/kmsg ("4,1189,1234,-;NVRM: Xid …",
/// perhaps followed by " KEY=value" lines); nothing for a record about anything else.
std::optional<std::string> xid_line(std::string_view record);

/// Follows /dev/kmsg from now on. Where that may not be read there simply are no lines.
class KernelLog {
 public:
  explicit KernelLog(const std::filesystem::path& device = "/dev/kmsg");
  ~KernelLog();
  KernelLog(const KernelLog&) = delete;
  KernelLog& operator=(const KernelLog&) = delete;

  bool readable() const { return fd_ >= 0; }
  /// The Xid lines since the last call, at most 20: a sick GPU may send thousands.
  std::vector<std::string> new_xids();

 private:
  int fd_ = -1;
};

}  // namespace cudasem
