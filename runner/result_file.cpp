#include "result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <unistd.h>

#include <stdexcept>

namespace cudasem {

ResultFile::ResultFile(std::filesystem::path path, std::string_view option) : path_(std::move(path)) {
  std::error_code shown_by_open;
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), shown_by_open);
  fd_ = path_ == "-" ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10)
                     : open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd_ < 0)
    throw std::runtime_error(fmt::format("cannot write {}: {}. Name another file with {}", path_.string(),
                                         strerror(errno), option));
}

ResultFile::~ResultFile() {
  close(fd_);
}

void ResultFile::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd_, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0)
      throw std::runtime_error(fmt::format("cannot write {}: {}. The log holds the results", path_.string(),
                                           strerror(wrote < 0 ? errno : ENOSPC)));
    text.remove_prefix(static_cast<size_t>(wrote));
  }
}

}  // namespace cudasem
