// What goes on between the first and the last process of a run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attempt.h"
#include "gpu_watch.h"
#include "journal.h"
#include "load.h"
#include "results.h"
#include "resume.h"
#include "schedule.h"
#include "stress.h"
#include "survey.h"
#include "unit.h"

namespace cudasem {

/// Runs what is planned. One is made for each run.
class Running {
 public:
  /// `earlier`: the run that goes on; `options` ask for what it was about.
  Running(SubprocessSet& set, const RunOptions& options, const Survey& survey, std::optional<Earlier> earlier,
          Status& status);
  /// All of it; returns the exit status.
  int go();

 private:
  void write_plan();
  void make_schedule();
  bool turn();
  bool next_part();
  void heed_deadline();
  void write_off_late();
  void heed_interrupts();
  void add(Unit unit);
  void start(const Schedule::Start& start);
  void begin(Attempt& attempt);
  void follow(Attempt& attempt);
  void settle(Attempt& attempt, size_t position, const Observed& observed, bool cut_short);
  void decide(size_t item, const Results::Decision& decision, const Journal::End& end);
  void finish(Attempt& attempt);
  void look_at_gpus(Clock::time_point now);
  void write_off_stranded(const std::string& cause);
  void report_stress();
  int exit_status();

  SubprocessSet& set_;
  const RunOptions& options_;
  const Survey& survey_;
  std::optional<Earlier> earlier_;  // the run that goes on
  Status& status_;
  std::vector<PlanItem> plan_;
  std::vector<Uncompiled> uncompiled_;
  bool complete_ = false;         // everything there is was planned, or this shard's part of it
  std::vector<size_t> runnable_;  // indices into plan_
  std::vector<int> tries_;        // begun so far, of each of plan_
  BatchRules rules_;
  std::vector<Unit> units_;  // the schedule's items
  std::optional<Journal> journal_;
  std::optional<Schedule> schedule_;
  std::optional<Results> results_;
  std::optional<Stress> stress_;
  bool stress_in_batches_ = false;
  std::optional<Load> load_;
  std::vector<std::unique_ptr<Attempt>> attempts_;
  GpuWatch watch_;
  int interrupts_ = 0;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool late_ = false;
  std::vector<std::string> problems_;  // why the run is not valid
};

}  // namespace cudasem
