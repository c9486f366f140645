// A run as one JSON document (`--json FILE`): INTERPRETING.md section 10.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "result_file.h"
#include "status.h"

namespace cudasem {

class SummaryFile : public Status {
 public:
  /// `-` is stdout.
  explicit SummaryFile(const std::filesystem::path& path) : file_(path, "--json") {}

  void planned(const PlanReport& plan) override { planned_ = plan.total; }
  void note(const std::string&) override {}
  void case_started(const std::string&) override {}
  void case_finished(const CaseReport& report) override;
  void finished(const RunReport& run) override;
  void refused(const std::string& why) override;

 private:
  void write(const nlohmann::json& document) const;

  ResultFile file_;
  int planned_ = 0;
  std::vector<CaseReport> not_fine_;
};

/// `not_fine`: what is not as expected, waived or not.
nlohmann::json run_summary(const RunReport& run, int planned, const std::vector<CaseReport>& not_fine);

}  // namespace cudasem
