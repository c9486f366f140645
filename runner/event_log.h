// The event log as it is written (INTERPRETING.md section 8): append-only, one write a line, nothing private
// in it.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudasem {

/// Takes out of texts what names this machine or its user.
class Scrubber {
 public:
  /// Knows the host name, the user's name and home folder.
  Scrubber();
  /// `path` and what is below it will read `word` instead; longer paths are replaced first.
  void hide(const std::filesystem::path& path, std::string word);
  /// Hides a word only where it stands alone: `anna` in `/data/anna/x`, not in `savanna`.
  void hide_word(const std::string& word, std::string with);
  std::string text(std::string text) const;
  /// All strings inside, keys left alone.
  nlohmann::json operator()(nlohmann::json json) const;
  /// A command line with its absolute paths reduced to their last component.
  std::vector<std::string> argv(const std::vector<std::string>& argv) const;

 private:
  std::vector<std::pair<std::string, std::string>> paths_, words_;
};

/// Those variables of our environment that change what a case sees.
nlohmann::json environment_that_matters();

/// Writes one log. Never overwrites: a file that is already there is refused.
class EventLog {
 public:
  /// Makes the folder if need be. Throws std::runtime_error that says what to do.
  explicit EventLog(std::filesystem::path path);
  /// Opens a log that is there, to go on after its last whole line: what is torn behind that is cut off by
  /// the first `write`. Throws if another run still writes to it.
  static std::unique_ptr<EventLog> resume(const std::filesystem::path& path);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  /// One line, one write(2). Invalid UTF-8 is replaced. Throws when it cannot be written whole (disk full).
  void write(const nlohmann::json& event);
  const std::filesystem::path& path() const { return path_; }

 private:
  EventLog() = default;
  [[noreturn]] void refuse(std::string_view doing, std::string_view why) const;
  void cut_torn_line();

  std::filesystem::path path_;
  int fd_ = -1;
  bool may_be_torn_ = false;
};

}  // namespace cudasem
