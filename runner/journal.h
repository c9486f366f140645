// The record of a run in one place: every result is judged, logged, counted and shown together.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "event_log.h"
#include "events.h"
#include "plan.h"
#include "resume.h"
#include "status.h"
#include "stress.h"
#include "survey.h"

namespace cudasem {

class Journal {
 public:
  /// Opens the log and writes `run`, `machine` and `subject`; with `earlier`, goes on in its log.
  Journal(const Survey& survey, const RunOptions& options, bool complete, Earlier* earlier, Status& status);

  /// Nothing if the log has it already.
  void plan(const PlanItem& item);
  /// Counts and shows the verdict that the log has from before it was resumed. False if it has none that
  /// stands: the case has to run.
  bool adopt(const PlanItem& item);
  void begin(const PlanItem& item, const events::Try& one, pid_t pid, const std::vector<int>& gpus);
  /// What one run of a case gave, whether or not it will count.
  struct End {
    events::Try one = {};
    Observed observed = {};
    events::Output output = {};
    std::vector<std::string> dirt = {};
    double ms = 0;
    std::vector<int> gpus = {};
  };
  /// Writes `end`, and judges it.
  Judgement end(const PlanItem& item, const End& end);
  /// The verdict that stands: written, counted and shown. `quiet`: one of many with one cause, which a note
  /// has said.
  void verdict(const PlanItem& item, const Judgement& judgement, const End& last, bool quiet = false);
  /// The `end` of a case that had no process.
  void end_without_process(const PlanItem& item, Outcome outcome, const std::string& detail,
                           const std::string& why, bool quiet);
  /// `plan` and `end` of an area that did not compile.
  void uncompiled(const Uncompiled& area);
  void stress(const PlanItem& item, const StressFinding& finding);
  void gpu(int index, bool well, const std::string& cause);
  /// `problems`: why the run is not valid.
  void finish(int exit, const std::vector<std::string>& problems);

  const std::map<std::string, int>& counts() const { return counts_; }  ///< by `counted_as`
  const std::set<std::string>& executed() const { return executed_; }   ///< ids that gave a result

 private:
  void write(const nlohmann::json& event) { log_->write(scrub_(event)); }
  double t_ms() const;
  std::string key(const PlanItem& item) const;
  CaseReport report(const PlanItem& item, const Expectation* entry, const Observed& observed) const;
  void count(const PlanItem& item, const Judgement& judgement, Outcome outcome);
  std::vector<std::string> reproduce(const PlanItem& item) const;

  const Survey& survey_;
  const RunOptions& options_;
  const Earlier* earlier_;  // null: the log is new
  Status& status_;
  Clock::time_point began_ = Clock::now();
  Scrubber scrub_;
  std::unique_ptr<EventLog> log_;
  std::map<std::string, int> counts_;
  std::set<std::string> executed_;
};

}  // namespace cudasem
