#include "process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

extern char** environ;

namespace cudasem {

namespace {

constexpr int kSignals[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
volatile sig_atomic_t g_interrupts = 0;

void on_interrupt(int) {
  g_interrupts = g_interrupts + 1;
}
void on_child(int) {}

[[noreturn]] void fail(std::string_view what) {
  throw std::system_error(errno, std::generic_category(), std::string(what));
}

/// Both ends stay out of other children (CLOEXEC) and off the descriptors 0 to 3 that the child is given.
struct Pipe {
  int read_end = -1, write_end = -1;
  Pipe() {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) fail("pipe2");
    read_end = fcntl(fds[0], F_DUPFD_CLOEXEC, 10);
    write_end = fcntl(fds[1], F_DUPFD_CLOEXEC, 10);
    close(fds[0]);
    close(fds[1]);
    if (read_end < 0 || write_end < 0) fail("fcntl(F_DUPFD_CLOEXEC)");
    fcntl(read_end, F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    if (read_end >= 0) close(read_end);
    if (write_end >= 0) close(write_end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int keep_read_end() { return std::exchange(read_end, -1); }
};

std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    std::string_view text = *entry;
    if (!changes.count(std::string(text.substr(0, text.find('='))))) result.emplace_back(text);
  }
  for (const auto& [key, value] : changes) result.push_back(key + "=" + value);
  return result;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const auto& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

timespec to_timespec(Clock::duration duration) {
  auto ns = std::max<int64_t>(0, std::chrono::nanoseconds(duration).count());
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

void CappedText::append(std::string_view bytes) {
  size_t to_head = std::min(bytes.size(), keep_ - head_.size());
  head_ += bytes.substr(0, to_head);
  tail_ += bytes.substr(to_head);
  if (tail_.size() <= 2 * keep_) return;  // cut rarely, so that a flood costs one copy and not many
  dropped_ += tail_.size() - keep_;
  tail_.erase(0, tail_.size() - keep_);
}

std::string CappedText::text() const {
  size_t over = tail_.size() > keep_ ? tail_.size() - keep_ : 0;
  if (dropped_ + over == 0) return head_ + tail_;
  return fmt::format("{}\n[… {} bytes left out …]\n{}", head_, dropped_ + over, tail_.substr(over));
}

std::string signal_name(int signal) {
  const char* abbreviation = sigabbrev_np(signal);
  return abbreviation ? fmt::format("SIG{}", abbreviation) : fmt::format("SIG{}", signal);
}

Subprocess::Subprocess(const ProcessSpec& spec) : out_(spec.keep), err_(spec.keep), grace_(spec.grace) {
  Pipe out, err;
  std::optional<Pipe> record;
  if (spec.records) record.emplace();
  spawn(spec, out.write_end, err.write_end, record ? record->write_end : -1);
  pipes_[0] = out.keep_read_end();
  pipes_[1] = err.keep_read_end();
  if (record) pipes_[2] = record->keep_read_end();
}

Subprocess::~Subprocess() {
  for (int fd : pipes_)
    if (fd >= 0) close(fd);
}

void Subprocess::spawn(const ProcessSpec& spec, int out, int err, int record) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  if (record >= 0) posix_spawn_file_actions_adddup2(&actions, record, kRecordFd);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);

  auto environment = environment_with(spec.env);
  int error = posix_spawn(&pid_, spec.argv.at(0).c_str(), &actions, &attributes, pointers(spec.argv).data(),
                          pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error) throw std::runtime_error(fmt::format("cannot start {}: {}", spec.argv[0], strerror(error)));
}

void Subprocess::stop() {
  if (ending_ || kill_at_) return;
  ::kill(-pid_, SIGTERM);
  kill_at_ = Clock::now() + grace_;
}

void Subprocess::kill() {
  if (ending_) return;
  ::kill(-pid_, SIGKILL);
  kill_at_ = Clock::time_point::max();
}

void Subprocess::receive(int which, std::string_view bytes) {
  if (which == 0) out_.append(bytes);
  if (which == 1) err_.append(bytes);
  if (which == 2) records_ += bytes;
}

bool Subprocess::read_once(int which) {
  char buffer[64 * 1024];
  ssize_t got = read(pipes_[which], buffer, sizeof buffer);
  if (got > 0) {
    receive(which, {buffer, static_cast<size_t>(got)});
    return true;
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  close(std::exchange(pipes_[which], -1));
  return false;
}

/// Reads at most what the pipes held when the process ended: another writer cannot keep us here.
void Subprocess::drain() {
  for (int which = 0; which < 3; ++which) {
    if (pipes_[which] < 0) continue;
    int capacity = fcntl(pipes_[which], F_GETPIPE_SZ);
    for (int reads = 0; reads <= capacity / 4096 && read_once(which);) ++reads;
  }
}

void Subprocess::reap() {
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return;
  drain();
  Ending ending;
  if (WIFSIGNALED(status)) ending.signal = signal_name(WTERMSIG(status));
  if (WIFEXITED(status)) ending.exit = WEXITSTATUS(status);
  bool group_lives = ::kill(-pid_, SIGKILL) == 0;
  bool pipes_held = std::any_of(std::begin(pipes_), std::end(pipes_), [](int fd) { return fd >= 0; });
  ending.leftovers = group_lives || pipes_held;
  for (int& fd : pipes_)
    if (fd >= 0) close(std::exchange(fd, -1));
  ending_ = ending;
}

SubprocessSet::SubprocessSet() {
  g_interrupts = 0;
  sigset_t blocked;
  sigemptyset(&blocked);
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaddset(&blocked, kSignals[i]);
    struct sigaction action = {};
    action.sa_handler = kSignals[i] == SIGCHLD ? on_child : on_interrupt;
    sigaction(kSignals[i], &action, &old_actions_[i]);
  }
  sigprocmask(SIG_BLOCK, &blocked, &old_mask_);
  poll_mask_ = old_mask_;
  for (int signal : kSignals) sigdelset(&poll_mask_, signal);
}

SubprocessSet::~SubprocessSet() {
  kill_all();
  while (!idle()) wait(Clock::now() + std::chrono::seconds(1));
  for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &old_actions_[i], nullptr);
  sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

std::shared_ptr<Subprocess> SubprocessSet::start(const ProcessSpec& spec) {
  running_.push_back(std::shared_ptr<Subprocess>(new Subprocess(spec)));
  return running_.back();
}

void SubprocessSet::wait(Clock::time_point until) {
  if (idle()) return;
  std::vector<pollfd> fds;
  std::vector<std::pair<Subprocess*, int>> owners;
  for (const auto& process : running_) {
    if (process->kill_at_) until = std::min(until, *process->kill_at_);
    for (int which = 0; which < 3; ++which) {
      if (process->pipes_[which] < 0) continue;
      fds.push_back({process->pipes_[which], POLLIN, 0});
      owners.emplace_back(process.get(), which);
    }
  }
  timespec timeout = to_timespec(until - Clock::now());
  if (ppoll(fds.data(), fds.size(), &timeout, &poll_mask_) > 0)
    for (size_t i = 0; i < fds.size(); ++i)
      if (fds[i].revents) owners[i].first->read_once(owners[i].second);

  auto now = Clock::now();
  for (const auto& process : running_) {
    if (process->kill_at_ && now >= *process->kill_at_) process->kill();
    process->reap();
  }
  std::erase_if(running_, [](const auto& process) { return process->ending_.has_value(); });
}

void SubprocessSet::kill_all() {
  for (const auto& process : running_) process->kill();
}

int SubprocessSet::interrupts() {
  return g_interrupts;
}

std::vector<Finished> run_to_end(SubprocessSet& set, const std::vector<ProcessSpec>& specs,
                                 std::chrono::milliseconds limit) {
  std::vector<std::shared_ptr<Subprocess>> children;
  for (const auto& spec : specs) children.push_back(set.start(spec));
  const auto deadline = Clock::now() + limit;
  auto until = deadline;
  auto over = [](const auto& child) { return child->ending().has_value(); };
  std::vector<Finished> results(children.size());
  while (!std::all_of(children.begin(), children.end(), over)) {
    set.wait(until);
    bool late = Clock::now() >= deadline;
    if (!late && SubprocessSet::interrupts() == 0) continue;
    for (size_t i = 0; i < children.size(); ++i) {
      if (over(children[i])) continue;
      children[i]->stop();
      results[i].timed_out |= late;
    }
    until = Clock::now() + std::chrono::seconds(1);
  }
  for (size_t i = 0; i < children.size(); ++i) {
    results[i].ending = *children[i]->ending();
    results[i].out = children[i]->out();
    results[i].err = children[i]->err();
  }
  return results;
}

Finished run_to_end(SubprocessSet& set, const ProcessSpec& spec, std::chrono::milliseconds limit) {
  return run_to_end(set, std::vector<ProcessSpec>{spec}, limit).front();
}

}  // namespace cudasem
