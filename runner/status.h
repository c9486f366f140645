// What the person at the terminal sees of a run while it goes on.
#pragma once

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "judge.h"

namespace cudasem {

/// How one case came out, and how to see it again.
struct CaseReport {
  std::string id = {};
  Judgement judgement = {};
  double ms = 0;
  std::vector<std::string> reproduce = {};  ///< command lines; shown for what is not as expected
  bool quiet = false;  ///< one of many with one cause, which a note says: no line of its own
};

/// The run tells it everything as it happens; tests put their own in its place.
class Status {
 public:
  virtual ~Status() = default;
  virtual void planned(int total) = 0;
  /// Something worth a line of its own: banners, quarantines, why a run is not valid.
  virtual void note(const std::string& text) = 0;
  virtual void case_started(const std::string& id) = 0;
  virtual void case_finished(const CaseReport& report) = 0;
  virtual void finished(const std::map<std::string, int>& counts, double seconds, const std::string& log) = 0;
};

/// A progress line that is rewritten on a terminal, a line for each case elsewhere. Colour only on a
/// terminal, and not where NO_COLOR is set.
class ConsoleStatus : public Status {
 public:
  ConsoleStatus(std::FILE* stream, bool terminal, bool colour)
      : stream_(stream), terminal_(terminal), colour_(colour) {}
  /// For stdout of this process.
  static ConsoleStatus for_stdout();

  void planned(int total) override { total_ = total; }
  void note(const std::string& text) override;
  void case_started(const std::string& id) override;
  void case_finished(const CaseReport& report) override;
  void finished(const std::map<std::string, int>& counts, double seconds, const std::string& log) override;

 private:
  void line(const std::string& text);
  void progress();
  std::string painted(Verdict verdict) const;

  std::FILE* stream_;
  bool terminal_, colour_;
  int total_ = 0, done_ = 0, unexpected_ = 0;
  std::vector<std::string> running_;
};

/// "12 as expected, 1 regression, 3 skipped"; the order is that of the vocabulary.
std::string summary(const std::map<std::string, int>& counts);

/// "as expected" for Verdict::as_expected.
std::string words(std::string_view verdict);

}  // namespace cudasem
