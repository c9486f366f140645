// What a run shows, in every form: each is compared with a file of golden/. `CUDASEM_UPDATE_GOLDEN=1
// runner_test
// --gtest_filter='Surfaces*'` writes those anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>

#include <functional>

#include "console_status.h"
#include "github.h"
#include "junit.h"
#include "run_summary.h"
#include "test_folder.h"

namespace cudasem {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using test::read_file;
using test::TestFolder;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

CaseReport fine(const std::string& id) {
  return {.id = id,
          .judgement = {.verdict = Verdict::as_expected, .reason = {}, .k = 1},
          .ms = 1250,
          .reproduce = {"cudasem run '" + id + "'"},
          .area = "replay",
          .title = "Nothing to see",
          .file = "cases/replay/outputs.cpp",
          .line = 7,
          .outcome = "ok",
          .expected = "ok",
          .observed = "ok"};
}

CaseReport regression() {
  CaseReport report = fine("replay.outputs_are_reused/wrong");
  report.judgement = {.verdict = Verdict::regression,
                      .reason = "expected error 900 at item; saw corrupt at second: want 20, got 2"};
  report.reproduce.push_back(
      "LD_LIBRARY_PATH=/t build/cases/cudasem_replay --gtest_filter='replay.outputs_are_reused/wrong'");
  report.outcome = "corrupt";
  report.expected = "error 900 at item";
  report.observed = "corrupt at second: want 20, got 2";
  report.text = "first line\nwith a bell \x07 and <angles> & \"quotes\" 100%, and \xFF broken UTF-8";
  return report;
}

CaseReport waived() {
  CaseReport report = regression();
  report.judgement.waived = {{.owner = "graphs", .link = "https://l/1", .expires = "2027-01-31"}};
  return report;
}

CaseReport skipped() {
  CaseReport report = fine("streams.two_gpus");
  report.area = "streams";
  report.judgement.verdict = Verdict::skipped;
  report.ms = 0;
  report.outcome = "skip";
  report.observed = "skip (unsupported)";
  report.text = "needs 2 GPUs, 1 found";
  return report;
}

CaseReport missing() {
  CaseReport report = fine("streams.never_begins");
  report.area = "streams";
  report.judgement = {.verdict = Verdict::missing, .reason = "missing (no_begin)", .k = 0};
  report.outcome = "missing";
  report.observed = "missing (no_begin)";
  report.file = "";
  return report;
}

using Clockwork = std::chrono::steady_clock::time_point;

/// Tells a run of four cases; `clock` moves ten seconds a case.
void tell(Status& status, Clockwork* clock = nullptr) {
  status.planned(
      {4, {{"replay.a", 1000}, {"replay.outputs_are_reused/wrong", 500}, {"streams.never_begins", 500}}});
  status.note("1 of 4 cases are skipped, unsupported here:\n     1 needs 2 GPUs, 1 found");
  status.case_finished(skipped());
  for (const auto& report : {fine("replay.a"), regression(), missing()}) {
    status.case_started(report.id);
    if (clock) *clock += seconds(10);
    status.case_finished(report);
  }
  status.note("not a valid run: a GPU was lost");
  status.finished({.counts = {{"as_expected", 1}, {"regression", 1}, {"missing", 1}, {"skipped", 1}},
                   .exit = 2,
                   .seconds = 32.5,
                   .log = "out/x.ndjson",
                   .torch = "2.14.1+cu130",
                   .profile = "native",
                   .problems = {"a GPU was lost"}});
}

/// What `use` prints on the stream that it is given.
std::string printed(const std::function<void(FILE*)>& use) {
  char* bytes = nullptr;
  size_t size = 0;
  FILE* stream = open_memstream(&bytes, &size);
  use(stream);
  fclose(stream);
  std::string result(bytes, size);
  free(bytes);
  return result;
}

std::string on_console(bool terminal, bool colour) {
  return printed([&](FILE* stream) {
    Clockwork now;
    ConsoleStatus console(stream, terminal, colour, 90, [&] { return now; });
    tell(console, &now);
  });
}

void compare_with_golden(std::string text, const std::string& name) {
  if (const auto at = text.find('\xFF'); at != text.npos)
    text.replace(at, 1, "<byte FF>");  // files are UTF-8
  if (const auto at = text.find('\x07'); at != text.npos) text.replace(at, 1, "<byte 07>");
  const fs::path file = fs::path(CUDASEM_SOURCE_DIR) / "runner" / "golden" / name;
  if (getenv("CUDASEM_UPDATE_GOLDEN")) std::ofstream(file) << text;
  EXPECT_EQ(text, read_file(file)) << "of " << file;
}

TEST(Surfaces, LinesElsewhereThanOnATerminal) {
  compare_with_golden(on_console(false, false), "lines.txt");
}

TEST(Surfaces, ProgressOnATerminal) {
  std::string text = on_console(true, false);
  for (size_t at; (at = text.find("\r\033[K")) != text.npos;) text.replace(at, 4, "\n<line anew>");
  compare_with_golden(text, "terminal.txt");
}

TEST(Surfaces, ColoursOnlyWhenAsked) {
  EXPECT_THAT(on_console(true, true), HasSubstr("\033[31mregression\033[0m"));
  EXPECT_THAT(on_console(true, false), Not(HasSubstr("\033[31m")));
}

TEST(Surfaces, TheProgressLineFitsTheTerminal) {
  const std::string text = printed([](FILE* stream) {
    ConsoleStatus console(stream, true, false, 40);
    console.planned({1, {}});
    console.case_started("area." + std::string(200, 'x'));
  });
  EXPECT_EQ(text.substr(text.rfind("\033[K") + 3).size(), 39);
}

TEST(Surfaces, QuietCasesCountButHaveNoLine) {
  const std::string text = printed([](FILE* stream) {
    ConsoleStatus console(stream, false, false);
    console.planned({2, {}});
    CaseReport lost = missing();
    lost.quiet = true;
    console.case_finished(lost);
    console.case_finished(fine("replay.a"));
  });
  EXPECT_EQ(text, "[2/2] as expected  replay.a  1.25 s\n");
}

TEST(Surfaces, WhatIsWaivedIsShownAsSuchAndNotCounted) {
  TestFolder folder;
  JunitFile junit(folder / "junit.xml");
  SummaryFile summary(folder / "summary.json");
  const std::string terminal = printed([&](FILE* stream) {
    ConsoleStatus console(stream, true, false, 200);
    StatusGroup all;
    for (Status* one : std::initializer_list<Status*>{&console, &junit, &summary}) all.add(*one);
    all.planned({2, {}});
    all.case_finished(waived());
    all.finished({.counts = {{"as_expected", 1}, {"waived", 1}}});
  });
  EXPECT_THAT(terminal, AllOf(HasSubstr("] regression, waived  replay.outputs_are_reused/wrong"),
                              HasSubstr("    waived    until 2027-01-31: graphs, https://l/1\n"),
                              HasSubstr("] 0 not as expected"), HasSubstr("1 as expected, 1 waived in")));
  EXPECT_THAT(
      read_file(folder / "junit.xml"),
      AllOf(HasSubstr("failures=\"0\" errors=\"0\" skipped=\"1\""),
            HasSubstr("<skipped message=\"waived until 2027-01-31: graphs, https://l/1; regression: ")));
  const auto document = nlohmann::json::parse(read_file(folder / "summary.json"));
  EXPECT_TRUE(document.at("unexpected").empty());
  EXPECT_EQ(document.at("waived").at(0).at("waived").at("owner"), "graphs");
  EXPECT_THAT(annotation(waived()), AllOf(testing::StartsWith("::notice "), HasSubstr("https://l/1")));
  EXPECT_THAT(step_summary({}, {waived()}), HasSubstr("| regression, waived until 2027-01-31: graphs"));
}

TEST(Surfaces, ALongTextIsCutOnTheConsole) {
  CaseReport report = regression();
  report.text.clear();
  for (int i = 0; i < 20; ++i) report.text += "line " + std::to_string(i) + "\n";
  const std::string text = printed([&](FILE* stream) {
    ConsoleStatus console(stream, false, false);
    console.case_finished(report);
  });
  EXPECT_THAT(text, HasSubstr("line 7\n              … the log has the rest\n"));
  EXPECT_THAT(text, Not(HasSubstr("line 8")));
}

TEST(Surfaces, Junit) {
  TestFolder folder;
  {
    JunitFile junit(folder / "junit.xml");
    tell(junit);
  }
  compare_with_golden(read_file(folder / "junit.xml"), "junit.xml");
}

TEST(Surfaces, GithubAnnotationsAndSummary) {
  TestFolder folder;
  const std::string annotations = printed([&](FILE* stream) {
    GithubStatus github(stream, folder / "summary.md");
    tell(github);
  });
  compare_with_golden(annotations, "annotations.txt");
  compare_with_golden(read_file(folder / "summary.md"), "step_summary.md");
}

TEST(Surfaces, GithubListsAHundred) {
  const std::string text = step_summary({}, std::vector<CaseReport>(150, regression()));
  EXPECT_THAT(text, HasSubstr("… and 50 more"));
}

TEST(Surfaces, JsonDocument) {
  TestFolder folder;
  {
    SummaryFile summary(folder / "summary.json");
    tell(summary);
  }
  compare_with_golden(read_file(folder / "summary.json"), "summary.json");
}

TEST(Surfaces, ARunThatNeverBeganIsNotValidInAnyForm) {
  TestFolder folder;
  JunitFile junit(folder / "junit.xml");
  SummaryFile summary(folder / "summary.json");
  StatusGroup all;
  all.add(junit);
  all.add(summary);
  const std::string annotations = printed([&](FILE* stream) {
    GithubStatus github(stream, "");
    all.add(github);
    all.refused("no libtorch in x");
  });
  EXPECT_THAT(read_file(folder / "junit.xml"), HasSubstr("errors=\"1\""));
  const auto document = nlohmann::json::parse(read_file(folder / "summary.json"));
  EXPECT_EQ(document.at("exit"), 2);
  EXPECT_EQ(document.at("problems").at(0), "no libtorch in x");
  EXPECT_EQ(annotations, "::error title=cudasem%3A not a valid run::no libtorch in x\n");
}

TEST(Surfaces, AFileThatCannotBeWrittenIsRefusedAtOnce) {
  const std::string said = test::refusal([] { JunitFile junit("/proc/no/such.xml"); });
  EXPECT_THAT(said, testing::AllOf(HasSubstr("cannot write /proc/no/such.xml"), HasSubstr("--junit")));
}

TEST(XmlText, HoldsWhatXmlCanHold) {
  EXPECT_EQ(xml_text("a<b>&\"\n"), "a&lt;b&gt;&amp;&quot;&#10;");
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(xml_text(std::string("\0\x1b", 2)), replaced + replaced);
  EXPECT_EQ(xml_text("ü…𝛼"), "ü…𝛼");
  EXPECT_EQ(xml_text("\xED\xA0\x80"), replaced + replaced + replaced);  // half of a surrogate pair
  EXPECT_EQ(xml_text("\xEF\xBF\xBF"), replaced + replaced + replaced);  // U+FFFF is no character
  EXPECT_EQ(xml_text("\xC3"), replaced);
}

TEST(Summary, LeavesOutWhatDidNotHappen) {
  EXPECT_EQ(summary({{"skipped", 3}, {"as_expected", 12}, {"flaky", 0}}), "12 as expected, 3 skipped");
  EXPECT_EQ(summary({}), "nothing");
}

}  // namespace
}  // namespace cudasem
