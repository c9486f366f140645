#include "console_status.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace cudasem {

namespace {

constexpr size_t kMostLinesOfText = 8;

const char* colour_of(const Judgement& judgement) {
  const Verdict verdict = judgement.verdict;
  if (judgement.waived) return "\033[33m";
  if (verdict == Verdict::as_expected) return "\033[32m";
  if (verdict == Verdict::skipped) return "\033[2m";
  if (verdict == Verdict::improvement || verdict == Verdict::changed) return "\033[33m";
  return "\033[31m";
}

size_t columns_of(int fd) {
  winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

/// Control bytes would move the cursor or ring the bell.
std::string printable(std::string_view text) {
  std::string result;
  for (const unsigned char c : text)
    result += c < 0x20 && c != '\t' ? fmt::format("\\x{:02x}", c) : std::string(1, static_cast<char>(c));
  return result;
}

/// "2 min 5 s"
std::string duration(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

ConsoleStatus ConsoleStatus::for_stream(std::FILE* stream) {
  const int fd = fileno(stream);
  const bool terminal = isatty(fd);
  const char* no_colour = getenv("NO_COLOR");
  return {stream, terminal, terminal && !(no_colour && *no_colour), columns_of(fd)};
}

void ConsoleStatus::planned(const PlanReport& plan) {
  plan_ = plan;
  began_ = now_();
  expected_ms_ = 0;
  for (const auto& [id, ms] : plan.expected_ms) expected_ms_ += ms;
}

void ConsoleStatus::line(const std::string& text) {
  fmt::print(stream_, "{}{}\n", terminal_ ? "\r\033[K" : "", text);
  std::fflush(stream_);
}

/// From the recorded times of what is done and what is not; silent until a twentieth is done.
std::string ConsoleStatus::remaining() const {
  const double fraction = expected_ms_ > 0 ? done_ms_ / expected_ms_ : 0;
  if (fraction < 0.05 || done_ >= plan_.total) return "";
  const double elapsed = std::chrono::duration<double>(now_() - began_).count();
  return fmt::format(", {} left", duration(elapsed * (1 - fraction) / fraction));
}

void ConsoleStatus::progress() {
  if (!terminal_) return;
  std::string running = running_.empty() ? "" : running_.front();
  if (running_.size() > 1) running += fmt::format(" and {} more", running_.size() - 1);
  const std::string text =
      fmt::format("[{}/{}{}] {} not as expected  {}", done_, plan_.total, remaining(), unexpected_, running);
  fmt::print(stream_, "\r\033[K{}", text.substr(0, columns_ - 1));
  std::fflush(stream_);
}

std::string ConsoleStatus::painted(const Judgement& judgement) const {
  const std::string word = words(judgement);
  return colour_ ? fmt::format("{}{}\033[0m", colour_of(judgement), word) : word;
}

void ConsoleStatus::note(const std::string& text) {
  line(text);
  progress();
}

void ConsoleStatus::case_started(const std::string& id) {
  running_.push_back(id);
  progress();
}

/// What a reader needs to go on: both sides, the text, the place, and how to see it again.
void ConsoleStatus::block(const CaseReport& report) {
  if (report.judgement.waived) {
    line(fmt::format("    waived    {}", printable(text(*report.judgement.waived))));
    line(fmt::format("    observed  {}", printable(report.observed)));
    return;
  }
  if (report.expected.empty() && report.observed.empty()) {
    if (!report.judgement.reason.empty()) line(fmt::format("    {}", report.judgement.reason));
  } else {
    line(fmt::format("    expected  {}", printable(report.expected)));
    line(fmt::format("    observed  {}", printable(report.observed)));
    const std::string said = fmt::format("expected {}; saw {}", report.expected, report.observed);
    if (const auto& reason = report.judgement.reason; !reason.empty() && reason != said)
      line(fmt::format("    because   {}", printable(reason)));
  }
  std::string_view rest = report.text;
  for (size_t count = 0; !rest.empty(); ++count) {
    const auto first = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), first.size() + 1));
    line(fmt::format("    {}  {}", count == 0 ? "text    " : "        ", printable(first)));
    if (count + 1 < kMostLinesOfText || rest.empty()) continue;
    line("              … the log has the rest");
    break;
  }
  if (!report.file.empty()) line(fmt::format("    at        {}:{}", report.file, report.line));
  for (const auto& command : report.reproduce) line(fmt::format("    again     {}", command));
}

void ConsoleStatus::case_finished(const CaseReport& report) {
  std::erase(running_, report.id);
  ++done_;
  if (auto known = plan_.expected_ms.find(report.id); known != plan_.expected_ms.end())
    done_ms_ += known->second;
  const bool fine = is_fine(report.judgement.verdict);  // what is waived is shown, and not counted
  if (!is_fine(report.judgement)) ++unexpected_;
  if (report.quiet) return;
  if (!terminal_ || !fine)
    line(fmt::format("[{}/{}] {}  {}{}", done_, plan_.total, painted(report.judgement), report.id,
                     report.ms > 0 ? fmt::format("  {:.2f} s", report.ms / 1000) : ""));
  if (!fine) block(report);
  progress();
}

void ConsoleStatus::finished(const RunReport& run) {
  line(fmt::format("{} in {:.1f} s. Log: {}", summary(run.counts), run.seconds, run.log));
}

}  // namespace cudasem
