// The records of one process that runs several cases: each goes to the reader of its case.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record.h"

namespace cudasem {

class UnitReader {
 public:
  /// One reader for each case, in the order in which the process was asked to run them.
  explicit UnitReader(std::vector<RecordReader> cases) : cases_(std::move(cases)), dirt_(cases_.size()) {}

  /// Any split of the byte stream into calls gives the same result.
  void feed(std::string_view bytes);
  /// Cases that have begun; the last of them is the current one.
  size_t begun() const { return current_ + (cases_[current_].begun() ? 1 : 0); }
  /// Cases that have begun and ended.
  size_t ended() const { return current_ + (cases_[current_].ended() ? 1 : 0); }

  /// What was observed of a case after which another has begun.
  Observed observed_before_next(size_t index);
  /// What was observed of the current case, once the process is over.
  Observed finish(const Ending& ending, bool timed_out, std::string_view err);
  /// What the case left and the process could not put back.
  const std::vector<std::string>& dirt(size_t index) const { return dirt_[index]; }

 private:
  void line(std::string_view text);

  std::vector<RecordReader> cases_;
  std::vector<std::vector<std::string>> dirt_;
  size_t current_ = 0;
  std::string hello_, partial_;
};

}  // namespace cudasem
