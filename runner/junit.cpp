#include "junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace cudasem {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Bytes of the UTF-8 character at the start of `text`; 0 if there is none that XML may hold.
size_t character_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool beyond = first == 0xF4 && second > 0x8F;
  const bool not_a_character = first == 0xEF && second == 0xBF && byte(2) >= 0xBE;
  return overlong || surrogate || beyond || not_a_character ? 0 : length;
}

struct Suite {
  std::string body = {};
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

void add_case(Suite& suite, const CaseReport& report) {
  const Verdict verdict = report.judgement.verdict;
  const bool skipped = verdict == Verdict::skipped || report.outcome == "skip";
  std::string inside;
  if (report.judgement.waived) {
    ++suite.skipped;
    inside = fmt::format("      <skipped message=\"{}\"/>\n",
                         xml_text(fmt::format("waived {}; {}: {}", text(*report.judgement.waived),
                                              words(name(verdict)), report.judgement.reason)));
  } else if (!is_fine(verdict)) {
    const bool missing = verdict == Verdict::missing;
    ++(missing ? suite.errors : suite.failures);
    std::string text =
        fmt::format("expected {}\nobserved {}\n{}\n", report.expected, report.observed, report.text);
    for (const auto& command : report.reproduce) text += "again: " + command + "\n";
    inside = fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n", missing ? "error" : "failure",
                         xml_text(report.judgement.reason), words(name(verdict)), xml_text(text));
  } else if (skipped) {
    ++suite.skipped;
    inside = fmt::format("      <skipped message=\"{}\"/>\n", xml_text(report.text));
  }
  ++suite.tests;
  suite.seconds += report.ms / 1000;
  suite.body += fmt::format("    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3f}\"", xml_text(report.id),
                            xml_text(report.area), report.ms / 1000);
  if (!report.file.empty())
    suite.body += fmt::format(" file=\"{}\" line=\"{}\"", xml_text(report.file), report.line);
  suite.body += inside.empty() ? "/>\n" : fmt::format(">\n{}    </testcase>\n", inside);
}

std::string counts(int tests, int failures, int errors, int skipped, double seconds) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"", tests,
                     failures, errors, skipped, seconds);
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t length = character_length(text);
    const std::string_view character = text.substr(0, std::max<size_t>(length, 1));
    if (length == 0)
      result += kReplacement;
    else if (character == "&")
      result += "&amp;";
    else if (character == "<")
      result += "&lt;";
    else if (character == ">")
      result += "&gt;";
    else if (character == "\"")
      result += "&quot;";
    else if (character == "\n")
      result += "&#10;";
    else if (character == "\r")
      result += "&#13;";
    else
      result += character;
    text.remove_prefix(character.size());
  }
  return result;
}

std::string junit_xml(const std::vector<CaseReport>& cases, double seconds,
                      const std::vector<std::string>& problems) {
  std::map<std::string, Suite> suites;
  for (const auto& report : cases) add_case(suites[report.area.empty() ? "cudasem" : report.area], report);
  if (!problems.empty()) {
    Suite& own = suites["cudasem"];
    ++own.tests;
    ++own.errors;
    own.body += fmt::format(
        "    <testcase name=\"the run is valid\" classname=\"cudasem\" time=\"0.000\">\n"
        "      <error message=\"{}\" type=\"not valid\"/>\n    </testcase>\n",
        xml_text(fmt::format("{}", fmt::join(problems, "; "))));
  }
  Suite all;
  std::string body;
  for (const auto& [area, suite] : suites) {
    all.tests += suite.tests, all.failures += suite.failures, all.errors += suite.errors;
    all.skipped += suite.skipped;
    body += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", xml_text(area),
                        counts(suite.tests, suite.failures, suite.errors, suite.skipped, suite.seconds),
                        suite.body);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cudasem\" {}>\n{}</testsuites>\n",
      counts(all.tests, all.failures, all.errors, all.skipped, seconds), body);
}

void JunitFile::finished(const RunReport& run) {
  file_.write(junit_xml(cases_, run.seconds, run.problems));
}

void JunitFile::refused(const std::string& why) {
  file_.write(junit_xml(cases_, 0, {why}));
}

}  // namespace cudasem
