// What is known before the first case starts: binaries, machine, cases, expectations, recordings.
#pragma once

#include "catalog.h"
#include "event_log.h"
#include "expectations.h"
#include "machine.h"
#include "recordings.h"
#include "run.h"
#include "waivers.h"

namespace cudasem {

struct Survey {
  BuiltFor built = {};
  Machine machine = {};
  Catalog catalog = {};
  Expectations expectations = {};
  Waivers waivers = {};
  Recordings recordings = {};
  Subject subject = {};
  std::map<std::string, double> times = {};  ///< recorded milliseconds by id

  /// On these GPUs: compute capability is that of the first.
  Subject subject_on(const std::vector<int>& gpus) const;
};

/// Throws std::runtime_error, saying what to do, where no valid run can be made: no binaries, no libtorch, a
/// GPU that CUDA does not start, expectations or waivers with errors, a requirement that does not hold.
Survey look_around(SubprocessSet& set, const RunOptions& options, Status& status);

/// Knows the folders of this survey.
Scrubber scrubber_for(const Survey& survey);

}  // namespace cudasem
