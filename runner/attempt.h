// One attempt at one case: its process, its records and its clock.
#pragma once

#include <memory>
#include <string>

#include "process.h"
#include "record.h"
#include "schedule.h"

namespace cudasem {

/// Where an attempt is decides which clock runs: start-up until `begin`, the case's limit until `end`, `exit`
/// after it.
struct Limits {
  std::chrono::milliseconds start_up{60'000};
  std::chrono::milliseconds body{10'000};
  std::chrono::milliseconds exit{10'000};
};

/// Passive: whoever owns it calls `look` after each turn of the SubprocessSet.
class Attempt {
 public:
  /// `started` is when its process was about to be started.
  Attempt(Schedule::Start start, std::shared_ptr<Subprocess> process, RecordReader reader, Limits limits,
          Clock::time_point started);

  const Schedule::Start& start() const { return start_; }
  const Subprocess& process() const { return *process_; }
  /// Takes records, moves on to the next clock, and stops a process that is over its limit.
  void look(Clock::time_point now);
  Clock::time_point deadline() const { return deadline_; }
  bool over() const { return process_->ending().has_value(); }
  /// Once it is over.
  Observed observed() { return reader_.finish(*process_->ending(), timed_out_, process_->err()); }
  double ms(Clock::time_point now) const;

 private:
  enum class Phase { start_up, body, exit };
  Schedule::Start start_;
  std::shared_ptr<Subprocess> process_;
  RecordReader reader_;
  Limits limits_;
  Phase phase_ = Phase::start_up;
  Clock::time_point started_, deadline_;
  bool timed_out_ = false;
};

/// Whether the GPU has to be looked at after this: a crash, a hang, or an error that the context does not
/// survive.
bool leaves_gpu_in_doubt(const Observed& observed);

}  // namespace cudasem
