// A file for another program to read, written once a run is over.
#pragma once

#include <filesystem>
#include <string_view>

namespace cudasem {

class ResultFile {
 public:
  /// `-` is stdout. Opened and emptied now, so that a path that cannot be written ends the run before its
  /// first case, and no older result survives a run that was killed. Throws std::runtime_error that says what
  /// to do; `option` is for that message.
  ResultFile(std::filesystem::path path, std::string_view option);
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  /// The whole text. Throws when it cannot be written.
  void write(std::string_view text) const;

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

}  // namespace cudasem
