#include "event_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

extern char** environ;

namespace cudasem {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

bool part_of_word(char c) {
  return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
}

enum class Stands { anywhere, at_an_end, alone };

/// Replaces `what` by `with`: anywhere, where no word goes on behind it, or where none touches it on either
/// side.
void replace_all(std::string& text, const std::string& what, const std::string& with, Stands stands) {
  for (size_t at = text.find(what); at != text.npos;) {
    const size_t next = at + what.size();
    const bool goes_on = stands != Stands::anywhere && next < text.size() && part_of_word(text[next]);
    const bool comes_from = stands == Stands::alone && at > 0 && part_of_word(text[at - 1]);
    if (goes_on || comes_from) {
      at = text.find(what, at + 1);
    } else {
      text.replace(at, what.size(), with);
      at = text.find(what, at + with.size());
    }
  }
}

/// "logs" of "/data/logs" and of "/data/logs/".
std::string last_component(const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).filename().string();
}

}  // namespace

Scrubber::Scrubber() {
  if (const char* home = getenv("HOME")) hide(home, "<home>");
  if (const passwd* user = getpwuid(getuid())) {
    hide(user->pw_dir, "<home>");
    if (strcmp(user->pw_name, "root") != 0) hide_word(user->pw_name, "<user>");
  }
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) == 0 && strcmp(host, "localhost") != 0) hide_word(host, "<host>");
}

void Scrubber::hide(const fs::path& path, std::string word) {
  std::string text = path.lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  if (text.size() < 2) return;  // "/" would hide everything
  paths_.emplace_back(text, std::move(word));
  std::stable_sort(paths_.begin(), paths_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

void Scrubber::hide_word(const std::string& word, std::string with) {
  if (word.size() >= 3) words_.emplace_back(word, std::move(with));
}

std::string Scrubber::text(std::string text) const {
  for (const auto& [path, word] : paths_) {
    if (word.empty()) replace_all(text, path + "/", "", Stands::anywhere);  // relative to that folder
    replace_all(text, path, word.empty() ? "." : word, Stands::at_an_end);
  }
  for (const auto& [word, with] : words_) replace_all(text, word, with, Stands::alone);
  return text;
}

json Scrubber::operator()(json value) const {
  if (value.is_string()) return text(value.get<std::string>());
  if (value.is_structured())
    for (auto& item : value) item = (*this)(std::move(item));
  return value;
}

std::vector<std::string> Scrubber::argv(const std::vector<std::string>& argv) const {
  std::vector<std::string> result;
  for (const auto& argument : argv) {
    const auto equals = argument.find('=');
    const bool option = argument.starts_with("--") && equals != argument.npos;
    const std::string key = option ? argument.substr(0, equals + 1) : "";
    const std::string value = argument.substr(key.size());
    const bool absolute = value.starts_with("/") || value.starts_with("~") || value.find("../") != value.npos;
    result.push_back((*this)(key + (absolute ? last_component(value) : value)));
  }
  return result;
}

json environment_that_matters() {
  static const std::vector<std::string_view> kNames = {
      "CUDA_VISIBLE_DEVICES",        "CUDA_LAUNCH_BLOCKING",    "CUDA_MODULE_LOADING",
      "CUDA_DEVICE_MAX_CONNECTIONS", "CUDASEM_MUTATED",         "NVIDIA_TF32_OVERRIDE",
      "PYTORCH_ALLOC_CONF",          "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_NO_CUDA_MEMORY_CACHING"};
  json result = json::object();
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const auto name = text.substr(0, text.find('='));
    if (name.size() == text.size()) continue;
    if (name.starts_with("TORCH_") || std::find(kNames.begin(), kNames.end(), name) != kNames.end())
      result[std::string(name)] = std::string(text.substr(name.size() + 1));
  }
  return result;
}

EventLog::EventLog(fs::path path) : path_(std::move(path)) {
  std::error_code error;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), error);
  const bool device = fs::exists(path_, error) && !fs::is_regular_file(path_, error);  // /dev/null, a pipe
  fd_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | (device ? 0 : O_EXCL), 0644);
  if (fd_ >= 0) {
    flock(fd_, LOCK_EX | LOCK_NB);  // tells a `--resume` that this run lives
    return;
  }
  if (errno == EEXIST)
    refuse("write", "it is already there, and a log is never overwritten. Name another one with --out");
  refuse("write", fmt::format("{}. Name another place with --out", strerror(errno)));
}

void EventLog::refuse(std::string_view doing, std::string_view why) const {
  throw std::runtime_error(fmt::format("cannot {} the event log {}: {}", doing, path_.string(), why));
}

std::unique_ptr<EventLog> EventLog::resume(const fs::path& path) {
  std::unique_ptr<EventLog> log(new EventLog);
  log->path_ = path;
  log->fd_ = open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (log->fd_ < 0) log->refuse("resume", strerror(errno));
  if (flock(log->fd_, LOCK_EX | LOCK_NB) != 0)
    log->refuse("resume", "another run still writes to it. Wait for its end, or stop it with SIGINT");
  log->may_be_torn_ = true;
  return log;
}

void EventLog::cut_torn_line() {
  off_t whole = lseek(fd_, 0, SEEK_END);
  for (char last = 0; whole > 0; --whole)
    if (pread(fd_, &last, 1, whole - 1) != 1 || last == '\n') break;
  if (ftruncate(fd_, whole) != 0) refuse("resume", strerror(errno));
}

EventLog::~EventLog() {
  if (fd_ >= 0) close(fd_);
}

void EventLog::write(const json& event) {
  if (std::exchange(may_be_torn_, false)) cut_torn_line();
  const std::string line = event.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  for (size_t done = 0; done < line.size();) {
    const ssize_t wrote = ::write(fd_, line.data() + done, line.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0)
      throw std::runtime_error(
          fmt::format("cannot write the event log {}: {}. What is in it so far is valid; make room "
                      "or name another place with --out, and run again",
                      path_.string(), strerror(wrote < 0 ? errno : ENOSPC)));
    done += static_cast<size_t>(wrote);
  }
}

}  // namespace cudasem
