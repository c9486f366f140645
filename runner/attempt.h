// One process with the cases that it runs: its records and its clock.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "process.h"
#include "schedule.h"
#include "unit.h"
#include "unit_reader.h"

namespace cudasem {

/// Where an attempt is decides which clock runs: start-up until the first `begin`, the case's limit until its
/// `end`, `exit` from there to the next `begin` or to the end of the process.
struct Limits {
  std::chrono::milliseconds start_up{60'000};
  std::chrono::milliseconds body{10'000};
  std::chrono::milliseconds exit{10'000};
};

/// Passive: whoever owns it calls `look` after each turn of the SubprocessSet.
class Attempt {
 public:
  /// `limits`: one for each case of the unit. `started` is when its process was about to be started.
  Attempt(Unit unit, Schedule::Start start, std::shared_ptr<Subprocess> process, UnitReader reader,
          std::vector<Limits> limits, Clock::time_point started);

  const Unit& unit() const { return unit_; }
  /// Which attempt at its current case this is; set as that begins.
  int number() const { return number_; }
  void set_number(int number) { number_ = number; }
  const Schedule::Start& start() const { return start_; }
  const Subprocess& process() const { return *process_; }
  /// Takes records, moves on to the next clock, and stops a process that is over its limit.
  void look(Clock::time_point now);
  Clock::time_point deadline() const { return deadline_; }
  bool over() const { return process_->ending().has_value(); }

  /// The position in the unit of the case that runs, or of the last one that did.
  size_t current() const { return current_; }
  /// Goes on to the next case, if that has begun, and gives what was observed of the one before it.
  std::optional<Observed> advance();
  /// What was observed of the current case, once the process is over and `advance` has nothing more.
  Observed observed() { return reader_.finish(*process_->ending(), timed_out_, process_->err()); }
  const std::vector<std::string>& dirt(size_t position) const { return reader_.dirt(position); }
  /// From `begin` to `end`, as far as the runner saw them; alone, the whole life of the process.
  double ms(size_t position, Clock::time_point now) const;

 private:
  Unit unit_;
  Schedule::Start start_;
  std::shared_ptr<Subprocess> process_;
  UnitReader reader_;
  std::vector<Limits> limits_;
  int number_ = 1;
  size_t current_ = 0;
  size_t begun_ = 0, ended_ = 0;  // cases seen to have done so
  std::vector<Clock::time_point> begun_at_, ended_at_;
  Clock::time_point started_, deadline_;
  bool timed_out_ = false;
};

/// Whether the GPU has to be looked at after this: a crash, a hang, or an error that the context does not
/// survive.
bool leaves_gpu_in_doubt(const Observed& observed);

}  // namespace cudasem
