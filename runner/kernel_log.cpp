#include "kernel_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace cudasem {

namespace {

constexpr size_t kMostLines = 20;
constexpr size_t kLongestRecord = 8192;  // the kernel's own limit for one read

}  // namespace

std::optional<std::string> xid_line(std::string_view record) {
  const auto text = record.find(';');
  if (text == record.npos) return std::nullopt;
  record.remove_prefix(text + 1);
  record = record.substr(0, record.find('\n'));
  const auto at = record.find("NVRM: Xid ");
  if (at == record.npos) return std::nullopt;
  return std::string(record.substr(at));
}

KernelLog::KernelLog(const std::filesystem::path& device)
    : fd_(open(device.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
  if (fd_ >= 0) lseek(fd_, 0, SEEK_END);
}

KernelLog::~KernelLog() {
  if (fd_ >= 0) close(fd_);
}

std::vector<std::string> KernelLog::new_xids() {
  std::vector<std::string> lines;
  char record[kLongestRecord];
  while (fd_ >= 0) {
    const ssize_t got = read(fd_, record, sizeof record);         // one record a call
    if (got < 0 && (errno == EINTR || errno == EPIPE)) continue;  // EPIPE: records were overwritten meanwhile
    if (got <= 0) break;
    auto line = xid_line({record, static_cast<size_t>(got)});
    if (line && lines.size() < kMostLines) lines.push_back(std::move(*line));
  }
  return lines;
}

}  // namespace cudasem
