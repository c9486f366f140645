// How long cases took in recorded runs: what orders a plan, splits it into shards, and says how long is left.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "log_reader.h"

namespace cudasem {

/// Milliseconds by id, from the newest of `logs` of this release of torch, else of any. Empty without one.
std::map<std::string, double> recorded_times(const std::vector<Log>& logs, const std::string& torch);

/// The time to reckon with for a case that was never recorded: the middle one of those that were, at least 1.
double usual_time(const std::map<std::string, double>& times);

}  // namespace cudasem
