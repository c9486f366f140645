// A run in GitHub Actions (`--github`): an annotation for what is not as expected, and a step summary.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "status.h"

namespace cudasem {

class GithubStatus : public Status {
 public:
  /// Annotations go to `stream`; the summary is appended to `summary_file`, if it is not empty.
  GithubStatus(std::FILE* stream, std::filesystem::path summary_file)
      : stream_(stream), summary_file_(std::move(summary_file)) {}
  /// Whether this is a step of a workflow: GITHUB_ACTIONS is `true`.
  static bool is_here();
  /// Annotations on `stream`, the summary in $GITHUB_STEP_SUMMARY.
  static GithubStatus for_step(std::FILE* stream);

  void planned(const PlanReport&) override {}
  void note(const std::string&) override {}
  void case_started(const std::string&) override {}
  void case_finished(const CaseReport& report) override;
  void finished(const RunReport& run) override;
  void refused(const std::string& why) override;

 private:
  void print(const std::string& line) const;
  void append(const std::string& markdown) const;

  std::FILE* stream_;
  std::filesystem::path summary_file_;
  std::vector<CaseReport> not_fine_;
};

/// "::error file=cases/replay/x.cpp,line=12,title=regression: replay.x::expected ok; saw hang"
std::string annotation(const CaseReport& report);

/// Markdown. GitHub takes 1 MiB a step: the first hundred of what is not as expected are listed.
std::string step_summary(const RunReport& run, const std::vector<CaseReport>& not_fine);

}  // namespace cudasem
