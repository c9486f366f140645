#include "github.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace cudasem {

namespace {

constexpr size_t kMostListed = 100;

/// As the workflow commands want it; a property also hides what would end it.
std::string escaped(std::string_view text, bool property) {
  std::string result;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    result += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return result;
}

/// A cell of a table: one line, no bar, no tag.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|')
      result += "\\|";
    else if (c == '<')
      result += "&lt;";
    else if (c == '\n' || c == '\r')
      result += ' ';
    else
      result += c;
  }
  return result;
}

/// "regression", with whose waiver it is where there is one.
std::string verdict_cell(const Judgement& judgement) {
  std::string result = words(judgement);
  if (judgement.waived) result += " " + cell(text(*judgement.waived));
  return result;
}

std::string variable(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

}  // namespace

std::string annotation(const CaseReport& report) {
  std::string place;
  if (!report.file.empty()) place = fmt::format("file={},line={},", escaped(report.file, true), report.line);
  const std::string title = fmt::format("{}: {}", words(report.judgement), report.id);
  std::string text = report.judgement.reason;
  if (!report.text.empty()) text += "\n" + report.text;
  if (!report.reproduce.empty()) text += "\nagain: " + report.reproduce.front();
  if (report.judgement.waived) text += "\nwaived " + cudasem::text(*report.judgement.waived);
  const char* level = report.judgement.waived                            ? "notice"
                      : report.judgement.verdict == Verdict::improvement ? "warning"
                                                                         : "error";
  return fmt::format("::{} {}title={}::{}", level, place, escaped(title, true), escaped(text, false));
}

std::string step_summary(const RunReport& run, const std::vector<CaseReport>& not_fine) {
  std::string text = fmt::format("### cudasem: torch {}, {}\n\n{} in {:.1f} s (exit {})\n", run.torch,
                                 run.profile, summary(run.counts), run.seconds, run.exit);
  for (const auto& problem : run.problems) text += fmt::format("\n**Not a valid run:** {}\n", cell(problem));
  if (not_fine.empty()) return text + "\n";
  text += "\n| verdict | case | expected | observed |\n|---|---|---|---|\n";
  for (size_t i = 0; i < std::min(not_fine.size(), kMostListed); ++i) {
    const CaseReport& report = not_fine[i];
    text += fmt::format("| {} | `{}` | {} | {} |\n", verdict_cell(report.judgement), report.id,
                        cell(report.expected), cell(report.observed));
  }
  if (not_fine.size() > kMostListed)
    text += fmt::format("\n… and {} more: the log has all\n", not_fine.size() - kMostListed);
  return text + "\n";
}

bool GithubStatus::is_here() {
  return variable("GITHUB_ACTIONS") == "true";
}

GithubStatus GithubStatus::for_step(std::FILE* stream) {
  return {stream, variable("GITHUB_STEP_SUMMARY")};
}

void GithubStatus::print(const std::string& line) const {
  fmt::print(stream_, "{}\n", line);
  std::fflush(stream_);
}

void GithubStatus::append(const std::string& markdown) const {
  if (summary_file_.empty()) return;
  std::ofstream file(summary_file_, std::ios::app);
  file << markdown;
  if (!file.flush()) print(fmt::format("::warning title=cudasem::cannot write {}", summary_file_.string()));
}

void GithubStatus::case_finished(const CaseReport& report) {
  if (is_fine(report.judgement.verdict)) return;
  not_fine_.push_back(report);
  if (!report.quiet) print(annotation(report));
}

void GithubStatus::finished(const RunReport& run) {
  for (const auto& problem : run.problems)
    print(fmt::format("::error title=cudasem%3A not a valid run::{}", escaped(problem, false)));
  append(step_summary(run, not_fine_));
}

void GithubStatus::refused(const std::string& why) {
  print(fmt::format("::error title=cudasem%3A not a valid run::{}", escaped(why, false)));
  append(fmt::format("### cudasem\n\n**Not a valid run:** {}\n\n", cell(why)));
}

}  // namespace cudasem
