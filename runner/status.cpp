#include "status.h"

#include <fmt/format.h>

#include <algorithm>

namespace cudasem {

namespace {

constexpr std::string_view kOrder[] = {"as_expected", "regression", "improvement", "changed",
                                       "flaky",       "missing",    "waived",      "skipped"};

}  // namespace

std::string words(std::string_view verdict) {
  std::string result(verdict);
  std::replace(result.begin(), result.end(), '_', ' ');
  return result;
}

std::string words(const Judgement& judgement) {
  return words(name(judgement.verdict)) + (judgement.waived ? ", waived" : "");
}

std::string summary(const std::map<std::string, int>& counts) {
  std::string result;
  for (const auto word : kOrder) {
    auto found = counts.find(std::string(word));
    if (found == counts.end() || found->second == 0) continue;
    result += fmt::format("{}{} {}", result.empty() ? "" : ", ", found->second, words(found->first));
  }
  return result.empty() ? "nothing" : result;
}

void StatusGroup::planned(const PlanReport& plan) {
  for (Status* member : members_) member->planned(plan);
}

void StatusGroup::note(const std::string& text) {
  for (Status* member : members_) member->note(text);
}

void StatusGroup::case_started(const std::string& id) {
  for (Status* member : members_) member->case_started(id);
}

void StatusGroup::case_finished(const CaseReport& report) {
  for (Status* member : members_) member->case_finished(report);
}

void StatusGroup::finished(const RunReport& run) {
  for (Status* member : members_) member->finished(run);
}

void StatusGroup::refused(const std::string& why) {
  for (Status* member : members_) member->refused(why);
}

}  // namespace cudasem
