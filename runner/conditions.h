// When an expectation applies: a box over torch, cuda, driver, cc and gpus, and a profile.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "outcome.h"
#include "version.h"

namespace cudasem {

struct Conditions {
  static constexpr std::array<std::string_view, 5> dimensions = {"torch", "cuda", "driver", "cc", "gpus"};

  std::array<Range, 5> ranges = {};  ///< in the order of `dimensions`; all versions where nothing is written
  std::string profile = "native";
  std::map<std::string, std::string> written =
      {};  ///< what the entry says, word for word, for logs and messages

  /// Narrows one dimension. Throws std::invalid_argument as parse_range does, and for an unknown dimension.
  void restrict(std::string_view dimension, std::string_view range);

  /// A dimension that is written, be it ">=0", does not hold for a subject without it (no GPU: no driver, no
  /// cc).
  bool hold(const Subject& subject) const;

  /// "torch >=2.13, <2.15; cc >=9.0", from the ranges; "everything" without any.
  std::string text() const;
};

/// Can both hold for one subject?
bool overlap(const Conditions& one, const Conditions& other);

/// What of `whole` no member of `parts` covers, as disjoint boxes. Profiles are not looked at.
std::vector<Conditions> uncovered(const Conditions& whole, const std::vector<Conditions>& parts);

}  // namespace cudasem
