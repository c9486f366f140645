// A run as JUnit XML (`--junit FILE`), for CI systems that show it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "result_file.h"
#include "status.h"

namespace cudasem {

/// An area is a suite, an id a test case. Not as expected is a `failure`, missing an `error`, not run
/// or waived `skipped`; a run that is not valid for another reason has a suite `cudasem` with an error.
class JunitFile : public Status {
 public:
  explicit JunitFile(const std::filesystem::path& path) : file_(path, "--junit") {}

  void planned(const PlanReport&) override {}
  void note(const std::string&) override {}
  void case_started(const std::string&) override {}
  void case_finished(const CaseReport& report) override { cases_.push_back(report); }
  void finished(const RunReport& run) override;
  void refused(const std::string& why) override;

 private:
  ResultFile file_;
  std::vector<CaseReport> cases_;
};

/// The document. `problems` is why the run is not valid; empty if it is.
std::string junit_xml(const std::vector<CaseReport>& cases, double seconds,
                      const std::vector<std::string>& problems);

/// Escaped, and with what XML 1.0 cannot hold (control characters, broken UTF-8) replaced by U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace cudasem
