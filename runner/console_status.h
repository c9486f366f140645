// What the person at the terminal sees of a run while it goes on.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "status.h"

namespace cudasem {

/// A progress line that is rewritten on a terminal, a line for each case elsewhere. Colour only on a
/// terminal, and not where NO_COLOR is set. What is not as expected gets a block in either.
class ConsoleStatus : public Status {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;

  /// `columns`: the progress line is cut to fit.
  ConsoleStatus(std::FILE* stream, bool terminal, bool colour, size_t columns = 80,
                Now now = std::chrono::steady_clock::now)
      : stream_(stream), terminal_(terminal), colour_(colour), columns_(columns), now_(std::move(now)) {}
  /// For stdout or stderr of this process.
  static ConsoleStatus for_stream(std::FILE* stream);

  void planned(const PlanReport& plan) override;
  void note(const std::string& text) override;
  void case_started(const std::string& id) override;
  void case_finished(const CaseReport& report) override;
  void finished(const RunReport& run) override;
  void refused(const std::string&) override {}  // the program's last line on stderr says it

 private:
  void line(const std::string& text);
  void block(const CaseReport& report);
  void progress();
  std::string remaining() const;
  std::string painted(const Judgement& judgement) const;

  std::FILE* stream_;
  bool terminal_, colour_;
  size_t columns_;
  Now now_;
  PlanReport plan_;
  std::chrono::steady_clock::time_point began_ = {};
  double expected_ms_ = 0, done_ms_ = 0;  // recorded times of what was planned, and of what is done
  int done_ = 0, unexpected_ = 0;
  std::vector<std::string> running_;
};

}  // namespace cudasem
