// What is known of each planned case so far, and what has to run again before its verdict stands.
#pragma once

#include <vector>

#include "judge.h"
#include "unit.h"

namespace cudasem {

/// How a result came about.
struct Result {
  size_t item = 0;
  Purpose purpose = Purpose::first;
  bool in_batch = false;
  bool suspect = false;  ///< the process died before it could be put back, so that the result may be wrong
  Judgement judgement = {};
};

/// Decides alone, runs nothing. A result of a batch that is not as expected counts for nothing: the case runs
/// again in a process of its own, and that result does.
class Results {
 public:
  struct Rules {
    int repeat = 1;  ///< results of each case before its verdict
    int retry = 0;   ///< further ones of a case that was not as expected
  };
  struct Decision {
    bool done = false;  ///< `verdict` stands
    Judgement verdict = {};
    std::vector<Unit> again = {};
  };

  Results(size_t planned, Rules rules) : rules_(rules), cases_(planned) {}

  Decision add(const Result& result);
  /// For a retry in the order in which it first ran: what ran before `item` in its process.
  void ran_after(size_t item, std::vector<size_t> before) { cases_[item].before = std::move(before); }
  bool done(size_t item) const { return cases_[item].done; }
  /// Takes it as done: it has a verdict from elsewhere.
  void settle(size_t item) { cases_[item].done = true; }

 private:
  struct Case {
    std::vector<Judgement> counted = {};
    std::vector<size_t> before = {};
    int further = 0;  // results wanted beyond `repeat`
    bool done = false;
  };
  std::vector<Unit> retries(size_t item) const;

  Rules rules_;
  std::vector<Case> cases_;
};

/// The Wilson score interval for k of n: where the true share lies with 95 % confidence.
struct Interval {
  double low = 0, high = 1;
};
Interval wilson(int k, int n);

}  // namespace cudasem
