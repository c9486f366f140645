// Child processes: started, drained, timed out and buried. Knows nothing of cases or records.
//
// `Subprocess` is passive, `SubprocessSet` does all the waiting in one poll loop. One set exists at a time;
// while it does, SIGCHLD, SIGINT, SIGTERM and SIGHUP are blocked outside that loop.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudasem {

using Clock = std::chrono::steady_clock;

/// Keeps the first and the last `keep` bytes of what it is given, however much that is.
class CappedText {
 public:
  explicit CappedText(size_t keep) : keep_(keep) {}
  void append(std::string_view bytes);
  /// The whole text, or head, a line that says how many bytes are left out, and tail.
  std::string text() const;

 private:
  size_t keep_;
  size_t dropped_ = 0;
  std::string head_, tail_;
};

struct ProcessSpec {
  std::vector<std::string> argv = {};           ///< argv[0] is a path
  std::map<std::string, std::string> env = {};  ///< set over the runner's own environment
  bool records = false;                         ///< open descriptor `kRecordFd` in the child and drain it
  size_t keep = 64 * 1024;                      ///< bytes kept of each end of stdout and of stderr
  std::chrono::milliseconds grace{2000};        ///< between SIGTERM and SIGKILL
};

inline constexpr int kRecordFd = 3;

/// How a process ended: `signal` ("SIGSEGV") or `exit`, never both.
struct Ending {
  std::string signal = {};
  std::optional<int> exit = {};
  bool leftovers = false;  ///< processes that it started outlived it; those of its group were killed
};

/// "SIGABRT" for SIGABRT; "SIG40" for a signal without a name.
std::string signal_name(int signal);

class Subprocess {
 public:
  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  pid_t pid() const { return pid_; }
  /// Bytes that arrived on the record descriptor since the last call.
  std::string take_records() { return std::exchange(records_, {}); }
  std::string out() const { return out_.text(); }
  std::string err() const { return err_.text(); }
  /// Set once the process is over and its pipes are drained.
  const std::optional<Ending>& ending() const { return ending_; }
  /// SIGTERM to the group now, SIGKILL after the grace. Repeating it changes nothing.
  void stop();
  /// SIGKILL to the group now.
  void kill();

 private:
  friend class SubprocessSet;
  explicit Subprocess(const ProcessSpec& spec);
  void spawn(const ProcessSpec& spec, int out, int err, int record);
  void receive(int which, std::string_view bytes);
  bool read_once(int which);  // false: nothing more for now
  void drain();
  void reap();

  pid_t pid_ = -1;
  int pipes_[3] = {-1, -1, -1};  // stdout, stderr, records; -1 once closed
  std::string records_;
  CappedText out_, err_;
  std::optional<Ending> ending_;
  std::chrono::milliseconds grace_;
  std::optional<Clock::time_point> kill_at_;
};

class SubprocessSet {
 public:
  SubprocessSet();
  /// Kills and buries whatever still runs.
  ~SubprocessSet();
  SubprocessSet(const SubprocessSet&) = delete;
  SubprocessSet& operator=(const SubprocessSet&) = delete;

  /// In a process group of its own, with stdin from /dev/null. Throws std::runtime_error if it cannot be
  /// started.
  std::shared_ptr<Subprocess> start(const ProcessSpec& spec);
  /// Sleeps until output arrived, a process ended, a signal came or `until`; returns at once if nothing runs.
  void wait(Clock::time_point until);
  bool idle() const { return running_.empty(); }
  void kill_all();
  /// How often the user asked to stop (SIGINT, SIGTERM, SIGHUP) since the set was made.
  static int interrupts();

 private:
  std::vector<std::shared_ptr<Subprocess>> running_;
  sigset_t old_mask_, poll_mask_;
  struct sigaction old_actions_[4];
};

struct Finished {
  Ending ending = {};
  std::string out = {}, err = {};
  bool timed_out = false;
};

/// Starts one process and waits for it, ending it after `limit` or as soon as the user interrupts.
Finished run_to_end(SubprocessSet& set, const ProcessSpec& spec, std::chrono::milliseconds limit);
/// The same for several at once, in the order given.
std::vector<Finished> run_to_end(SubprocessSet& set, const std::vector<ProcessSpec>& specs,
                                 std::chrono::milliseconds limit);

}  // namespace cudasem
