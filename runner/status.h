// What a run tells those who watch it: the terminal, and files that other programs read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "judge.h"

namespace cudasem {

/// What a run is about to do.
struct PlanReport {
  int total = 0;
  std::map<std::string, double> expected_ms = {};  ///< by id, from a recorded run; may lack any
};

/// How one case came out, and how to see it again.
struct CaseReport {
  std::string id = {};
  Judgement judgement = {};
  double ms = 0;
  std::vector<std::string> reproduce = {};  ///< command lines; shown for what is not as expected
  bool quiet = false;     ///< one of many with one cause, which a note says: no line of its own
  std::string area = {};  ///< "replay"
  std::string title = {};
  std::string file = {};  ///< "cases/replay/outputs.cpp", with `line`; empty where there is no source
  int line = 0;
  std::string outcome = {};                  ///< the word of INTERPRETING.md section 5
  std::string expected = {}, observed = {};  ///< in the words of the judge: "error 900 at item"
  std::string text = {};                     ///< what the error, the crash or the skip says, raw
};

/// How a whole run came out.
struct RunReport {
  std::map<std::string, int> counts = {};  ///< by verdict, or `waived`
  int exit = 0;
  double seconds = 0;
  std::string log = {};  ///< path
  std::string torch = {}, profile = {};
  std::vector<std::string> problems = {};  ///< why the run is not valid; empty if it is
};

/// The run tells it everything as it happens; tests put their own in its place.
class Status {
 public:
  virtual ~Status() = default;
  virtual void planned(const PlanReport& plan) = 0;
  /// Something worth a line of its own: banners, quarantines, why a run is not valid.
  virtual void note(const std::string& text) = 0;
  virtual void case_started(const std::string& id) = 0;
  virtual void case_finished(const CaseReport& report) = 0;
  virtual void finished(const RunReport& run) = 0;
  /// Instead of `finished`: there was no run that is worth a result.
  virtual void refused(const std::string& why) = 0;
};

/// Tells several.
class StatusGroup : public Status {
 public:
  /// `member` outlives the group.
  void add(Status& member) { members_.push_back(&member); }

  void planned(const PlanReport& plan) override;
  void note(const std::string& text) override;
  void case_started(const std::string& id) override;
  void case_finished(const CaseReport& report) override;
  void finished(const RunReport& run) override;
  void refused(const std::string& why) override;

 private:
  std::vector<Status*> members_;
};

/// "12 as expected, 1 regression, 3 skipped"; the order is that of the vocabulary.
std::string summary(const std::map<std::string, int>& counts);

/// "as expected" for Verdict::as_expected.
std::string words(std::string_view verdict);
/// "regression", or "regression, waived".
std::string words(const Judgement& judgement);

}  // namespace cudasem
