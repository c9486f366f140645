#include "claims.h"

#include <gmock/gmock.h>

namespace cudasem {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string good =
    "[[claim]]\nid = 'cap.sync.item'\nsection = 's'\nstatement = 'x'\nsource = 'y'\nlink = 'https://z'\n";

std::string problem_with(const std::string& document) {
  std::vector<Problem> problems;
  read_claims(parse_toml(document), "expected/claims.toml", problems);
  return problems.empty() ? "none" : text(problems.front());
}

TEST(claims, all_fields_are_read) {
  std::vector<Problem> problems;
  const auto claims = read_claims(parse_toml(good), "f", problems);
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_EQ(claims[0].id, "cap.sync.item");
  EXPECT_EQ(claims[0].section, "s");
  EXPECT_EQ(claims[0].statement, "x");
  EXPECT_EQ(claims[0].source, "y");
  EXPECT_EQ(claims[0].link, "https://z");
  EXPECT_EQ(claims[0].line, 1);
  EXPECT_THAT(problems, IsEmpty());
}

TEST(claims, mistakes_are_named_with_their_line) {
  EXPECT_EQ(problem_with(good + good),
            "expected/claims.toml:8: error: claim cap.sync.item stands at line 1 already: remove one");
  EXPECT_THAT(problem_with("[[claim]]\nid = 'x'\nstatement = ''\nsource = 'y'\nlink = 'https://z'\n"),
              HasSubstr("`statement` is missing"));
  EXPECT_THAT(problem_with("[[claim]]\nid = 'x'\nstatement = 's'\nsource = 'y'\nlink = 'docs'\n"),
              HasSubstr("https:// address was expected"));
}

TEST(claims, citing_goes_both_ways) {
  std::vector<CaseInfo> cases(1);
  cases[0].name = "a.b";
  cases[0].file = "cases/a/b.cpp";
  cases[0].line = 6;
  cases[0].claims = {"known", "unknown"};
  const auto problems = check_claims({{.id = "known"}, {.id = "unused", .line = 9}}, cases);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_THAT(text(problems[0]), HasSubstr("cases/a/b.cpp:6: error: a.b cites claim unknown"));
  EXPECT_THAT(text(problems[1]), HasSubstr("expected/claims.toml:9: error: no case cites claim unused"));
}

}  // namespace
}  // namespace cudasem
