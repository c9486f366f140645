// The entry exam (`run --stress`): is a case stable, and has it earned to share a process?
#pragma once

#include <string>
#include <vector>

#include "outcome.h"
#include "unit.h"

namespace cudasem {

/// What the exam says of one case.
struct StressFinding {
  size_t item = 0;
  int fresh = 0, batched = 0;   ///< results seen, each in a process of its own and in shuffled batches
  std::string differed = {};    ///< what was not the same in fresh processes; empty if it is stable
  std::string not_earned = {};  ///< why it has to stay alone; empty if it has earned `shared`
};

/// Each case 15 times in a fresh process, every third time under load; those that were stable, and that
/// neither take the process with them nor change its environment, then in 5 shuffled batches. Collects and
/// compares; runs nothing.
class Stress {
 public:
  static constexpr int kFresh = 15, kUnderLoad = 5, kRounds = 5;

  Stress(const std::vector<PlanItem>& plan, std::vector<size_t> runnable)
      : plan_(plan), runnable_(std::move(runnable)), seen_(plan.size()) {}

  /// The first part; those under load come last.
  std::vector<Unit> fresh_units() const;
  /// The second part, once all of the first is over; `rules` gives jobs and the seed of the first round.
  std::vector<Unit> batch_units(const BatchRules& rules) const;
  void add(size_t item, bool in_batch, const Observed& observed, const std::vector<std::string>& dirt);
  std::vector<StressFinding> findings() const;

 private:
  struct Seen {
    std::vector<nlohmann::json> fresh = {}, batched = {};
    bool takes_process = false;
    std::vector<std::string> dirt = {};
  };
  std::string why_no_candidate(size_t item) const;

  const std::vector<PlanItem>& plan_;
  std::vector<size_t> runnable_;
  std::vector<Seen> seen_;
};

/// What has to be the same each time: outcome, effects and facts; neither warnings nor times.
nlohmann::json comparable(const Observed& observed);

/// The first difference, "fact reserved_MiB: 6, then 8"; empty if there is none.
std::string first_difference(const nlohmann::json& one, const nlohmann::json& other);

}  // namespace cudasem
