// What goes on between the first and the last process of a run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attempt.h"
#include "gpu_watch.h"
#include "journal.h"
#include "schedule.h"
#include "survey.h"

namespace cudasem {

/// Runs what is planned. One is made for each run.
class Running {
 public:
  Running(SubprocessSet& set, const RunOptions& options, const Survey& survey, Status& status);
  /// All of it; returns the exit status.
  int go();

 private:
  void write_plan();
  bool turn();
  void heed_interrupts();
  void start(const Schedule::Start& start);
  void finish(Attempt& attempt);
  void look_at_gpus(Clock::time_point now);
  void write_off_stranded(const std::string& cause);
  int exit_status();

  SubprocessSet& set_;
  const RunOptions& options_;
  const Survey& survey_;
  Status& status_;
  std::vector<PlanItem> plan_;
  std::vector<Uncompiled> uncompiled_;
  bool complete_ = false;         // everything there is was planned
  std::vector<size_t> runnable_;  // the schedule's items, as indices into plan_
  std::optional<Journal> journal_;
  std::optional<Schedule> schedule_;
  std::vector<std::unique_ptr<Attempt>> attempts_;
  GpuWatch watch_;
  int interrupts_ = 0;
  std::vector<std::string> problems_;  // why the run is not valid
};

}  // namespace cudasem
