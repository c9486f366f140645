#include "support/record.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace cudasem {
namespace {

constexpr std::size_t kLongestLine = 1 << 20;
int record_fd = -1;

std::string line_of(const nlohmann::json& what) {
  return what.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

void record_to(int fd) {
  record_fd = fd;
}

void record(const nlohmann::json& what) {
  std::string line = line_of(what);
  if (line.size() > kLongestLine) {
    line = line_of({{"record", "warning"},
                    {"text", "a record of " + std::to_string(line.size()) + " bytes was left out"}});
  }
  if (record_fd < 0) {
    std::fprintf(stderr, "[cudasem] %s", line.c_str());
    return;
  }
  ssize_t written = 0;
  do {
    written = write(record_fd, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(line.size())) _exit(4);
}

}  // namespace cudasem
