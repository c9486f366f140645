#include "status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>

#include <functional>

namespace cudasem {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string shown(bool terminal, bool colour, const std::function<void(Status&)>& tell) {
  char* bytes = nullptr;
  size_t size = 0;
  FILE* stream = open_memstream(&bytes, &size);
  ConsoleStatus status(stream, terminal, colour);
  tell(status);
  fclose(stream);
  std::string result(bytes, size);
  free(bytes);
  return result;
}

CaseReport report(const std::string& id, Verdict verdict, const std::string& reason = "") {
  return {.id = id,
          .judgement = {.verdict = verdict, .reason = reason},
          .ms = 1250,
          .reproduce = {"cudasem run '" + id + "'", "./cudasem_a --gtest_filter='" + id + "'"}};
}

void a_run(Status& status) {
  status.planned(2);
  status.note("1 of 2 cases are skipped");
  status.case_started("a.b/wrong");
  status.case_finished(report("a.b/wrong", Verdict::as_expected));
  status.case_started("a.c");
  status.case_finished(report("a.c", Verdict::regression, "expected ok; saw hang"));
  status.finished({{"as_expected", 1}, {"regression", 1}}, 2.5, "out/x.ndjson");
}

TEST(Status, ElsewhereThanOnATerminalIsALineForEachCase) {
  EXPECT_EQ(shown(false, false, a_run),
            "1 of 2 cases are skipped\n"
            "[1/2] as expected  a.b/wrong  1.25 s\n"
            "[2/2] regression  a.c  1.25 s\n"
            "    expected ok; saw hang\n"
            "    again: cudasem run 'a.c'\n"
            "    again: ./cudasem_a --gtest_filter='a.c'\n"
            "1 as expected, 1 regression in 2.5 s. Log: out/x.ndjson\n");
}

TEST(Status, OnATerminalOnlyTheUnexpectedKeepsALine) {
  const std::string text = shown(true, false, a_run);
  EXPECT_THAT(text, HasSubstr("\r\033[K[0/2] 0 not as expected  a.b/wrong"));
  EXPECT_THAT(text, Not(HasSubstr("as expected  a.b/wrong  1.25 s")));
  EXPECT_THAT(text, HasSubstr("\r\033[K[2/2] regression  a.c  1.25 s\n"));
}

TEST(Status, ColoursOnlyWhenAsked) {
  EXPECT_THAT(shown(true, true, a_run), HasSubstr("\033[31mregression\033[0m"));
  EXPECT_THAT(shown(true, false, a_run), Not(HasSubstr("\033[31m")));
}

TEST(Status, QuietCasesCountButHaveNoLine) {
  const std::string text = shown(false, false, [](Status& status) {
    status.planned(2);
    CaseReport lost = report("a.b", Verdict::missing);
    lost.quiet = true;
    status.case_finished(lost);
    status.case_finished(report("a.c", Verdict::as_expected));
  });
  EXPECT_EQ(text, "[2/2] as expected  a.c  1.25 s\n");
}

TEST(Summary, LeavesOutWhatDidNotHappen) {
  EXPECT_EQ(summary({{"skipped", 3}, {"as_expected", 12}, {"flaky", 0}}), "12 as expected, 3 skipped");
  EXPECT_EQ(summary({}), "nothing");
}

}  // namespace
}  // namespace cudasem
