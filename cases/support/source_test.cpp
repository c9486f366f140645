#include "support/source.h"

#include <gtest/gtest.h>

namespace cudasem {
namespace {

constexpr std::string_view kFile = R"x(#include "case.h"

static int helper() { return 1; }

CASE(area, one,
     .title = "One (of two)") {
  if (helper()) {
    require(true, "a // no comment");
  }
}

MISUSE(area, two, .title = "Two") {
  if (wrong) helper();  // don't
}
)x";

std::string changed(std::string_view from, std::string_view to) {
  std::string text(kFile);
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(CutCase, EndsAtTheFirstClosingBraceInColumnOne) {
  EXPECT_EQ(cut_case(kFile, 12),
            "MISUSE(area, two, .title = \"Two\") {\n  if (wrong) helper();  // don't\n}\n");
  EXPECT_EQ(cut_case(kFile, 5).back(), '\n');
  EXPECT_NE(cut_case(kFile, 5).find("no comment"), std::string::npos);
  EXPECT_EQ(cut_case(kFile, 5).find("MISUSE"), std::string::npos);
}

TEST(LineOfCase, FindsTheHeadByAreaAndWholeName) {
  EXPECT_EQ(line_of_case(kFile, "area", "one"), 5);
  EXPECT_EQ(line_of_case(kFile, "area", "two"), 12);
  EXPECT_EQ(line_of_case(kFile, "area", "tw"), 0);
  EXPECT_EQ(line_of_case(kFile, "are", "one"), 0);
}

TEST(CutCase, IsEmptyForALineThatDoesNotExist) {
  EXPECT_EQ(cut_case(kFile, 99), "");
  EXPECT_EQ(cut_case(kFile, 0), "");
}

TEST(CaseHash, StaysWhenOnlyWordsAroundTheBodyChange) {
  EXPECT_EQ(case_hash(kFile, 5), case_hash(changed("One (of two)", "Number one)"), 5));
  EXPECT_EQ(case_hash(kFile, 12), case_hash(changed("  // don't", "  // do not do this"), 12));
  EXPECT_EQ(case_hash(kFile, 5), case_hash(changed("  if (helper()) {", "    if (helper())    {"), 5));
}

TEST(CaseHash, ChangesWithTheBodyAndWithWhatTheFileDefinesOutsideCases) {
  EXPECT_NE(case_hash(kFile, 5), case_hash(changed("a // no comment", "a // comment"), 5));
  EXPECT_NE(case_hash(kFile, 5), case_hash(changed("return 1", "return 0"), 5));
  EXPECT_NE(case_hash(kFile, 12), case_hash(changed("if (wrong)", "if (!wrong)"), 12));
}

TEST(CaseHash, IgnoresOtherCasesOfTheFile) {
  EXPECT_EQ(case_hash(kFile, 5), case_hash(changed("if (wrong) helper", "if (!wrong) helper"), 5));
}

TEST(CaseHash, DiffersBetweenCases) {
  EXPECT_NE(case_hash(kFile, 5), case_hash(kFile, 12));
}

}  // namespace
}  // namespace cudasem
