// Whether the GPUs are still well: a probe child is asked after each abnormal end.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "catalog.h"
#include "machine.h"
#include "process.h"

namespace cudasem {

/// Passive: whoever owns it calls `look` after each turn of the SubprocessSet. While it is busy nothing that
/// needs a GPU should start.
class GpuWatch {
 public:
  /// What a probe child said of one GPU.
  struct Finding {
    int gpu = 0;
    bool well = true;
    std::string cause = {};  ///< of the question, and for a GPU that is not well what the probe said
  };

  GpuWatch(SubprocessSet& set, const BuiltFor& built, const Machine& machine)
      : set_(set), built_(built), machine_(machine) {}

  /// Asks, or asks once more after the question that goes on. `cause`: "crash after replay.x".
  void ask(const std::string& cause);
  bool busy() const { return check_.has_value(); }
  /// When `look` has to be called at the latest.
  Clock::time_point deadline() const { return check_ ? check_->deadline : Clock::time_point::max(); }
  /// Once a probe child is over: what it said of each GPU that was well until then. Empty otherwise.
  std::vector<Finding> look(Clock::time_point now);
  /// Forgets the question that goes on.
  void drop() { check_.reset(); }
  const std::set<int>& quarantined() const { return quarantined_; }

 private:
  struct Check {
    std::shared_ptr<Subprocess> process;
    Clock::time_point deadline;
    std::string cause;
    bool timed_out = false;
  };
  std::vector<Finding> findings(const Machine& seen, const std::string& cause);

  SubprocessSet& set_;
  const BuiltFor& built_;
  const Machine& machine_;
  std::optional<Check> check_ = {};
  std::string next_cause_ = {};  // of a question that is due after the one that goes on
  std::set<int> quarantined_ = {};
};

}  // namespace cudasem
