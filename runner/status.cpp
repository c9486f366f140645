#include "status.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace cudasem {

namespace {

constexpr Verdict kOrder[] = {Verdict::as_expected, Verdict::regression, Verdict::improvement,
                              Verdict::changed,     Verdict::flaky,      Verdict::missing,
                              Verdict::skipped};

bool fine(Verdict verdict) {
  return verdict == Verdict::as_expected || verdict == Verdict::skipped;
}

const char* colour_of(Verdict verdict) {
  if (verdict == Verdict::as_expected) return "\033[32m";
  if (verdict == Verdict::skipped) return "\033[2m";
  if (verdict == Verdict::improvement || verdict == Verdict::changed) return "\033[33m";
  return "\033[31m";
}

}  // namespace

std::string words(std::string_view verdict) {
  std::string result(verdict);
  std::replace(result.begin(), result.end(), '_', ' ');
  return result;
}

std::string summary(const std::map<std::string, int>& counts) {
  std::string result;
  for (Verdict verdict : kOrder) {
    auto found = counts.find(std::string(name(verdict)));
    if (found == counts.end() || found->second == 0) continue;
    result += fmt::format("{}{} {}", result.empty() ? "" : ", ", found->second, words(found->first));
  }
  return result.empty() ? "nothing" : result;
}

ConsoleStatus ConsoleStatus::for_stdout() {
  const bool terminal = isatty(STDOUT_FILENO);
  const char* no_colour = getenv("NO_COLOR");
  return {stdout, terminal, terminal && !(no_colour && *no_colour)};
}

void ConsoleStatus::line(const std::string& text) {
  fmt::print(stream_, "{}{}\n", terminal_ ? "\r\033[K" : "", text);
  std::fflush(stream_);
}

void ConsoleStatus::progress() {
  if (!terminal_) return;
  std::string running = running_.empty() ? "" : running_.front();
  if (running_.size() > 1) running += fmt::format(" and {} more", running_.size() - 1);
  fmt::print(stream_, "\r\033[K[{}/{}] {} not as expected  {}", done_, total_, unexpected_,
             running.substr(0, 60));
  std::fflush(stream_);
}

std::string ConsoleStatus::painted(Verdict verdict) const {
  const std::string word = words(name(verdict));
  return colour_ ? fmt::format("{}{}\033[0m", colour_of(verdict), word) : word;
}

void ConsoleStatus::note(const std::string& text) {
  line(text);
  progress();
}

void ConsoleStatus::case_started(const std::string& id) {
  running_.push_back(id);
  progress();
}

void ConsoleStatus::case_finished(const CaseReport& report) {
  std::erase(running_, report.id);
  ++done_;
  const Verdict verdict = report.judgement.verdict;
  if (!fine(verdict)) ++unexpected_;
  if (report.quiet) return;
  if (!terminal_ || !fine(verdict))
    line(fmt::format("[{}/{}] {}  {}{}", done_, total_, painted(verdict), report.id,
                     report.ms > 0 ? fmt::format("  {:.2f} s", report.ms / 1000) : ""));
  if (!fine(verdict)) {
    if (!report.judgement.reason.empty()) line(fmt::format("    {}", report.judgement.reason));
    for (const auto& command : report.reproduce) line(fmt::format("    again: {}", command));
  }
  progress();
}

void ConsoleStatus::finished(const std::map<std::string, int>& counts, double seconds,
                             const std::string& log) {
  line(fmt::format("{} in {:.1f} s. Log: {}", summary(counts), seconds, log));
}

}  // namespace cudasem
