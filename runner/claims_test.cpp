#include "claims.h"

#include <gmock/gmock.h>

#include <sstream>

namespace cudasem {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string head = "section = 'graph capture'\nstatements = 4\n";
const std::string good =
    "[[claim]]\nid = 'cap.sync.item'\nstatement = 'x'\nsource = 'y'\nlink = 'https://z'\n";

std::string problem_with(const std::string& document) {
  std::vector<Problem> problems;
  read_claims(parse_toml(document), "expected/claims/capture.toml", problems);
  return problems.empty() ? "none" : text(problems.front());
}

CaseInfo citing(const std::string& name, std::vector<std::string> claims) {
  CaseInfo info;
  info.name = name;
  info.file = "cases/a/b.cpp";
  info.line = 6;
  info.claims = std::move(claims);
  return info;
}

TEST(claims, all_fields_are_read) {
  std::vector<Problem> problems;
  const auto section = read_claims(parse_toml(head + good), "f", problems);
  EXPECT_EQ(section.name, "graph capture");
  EXPECT_EQ(section.file, "f");
  EXPECT_EQ(section.statements, 4);
  ASSERT_EQ(section.claims.size(), 1u);
  EXPECT_EQ(section.claims[0].id, "cap.sync.item");
  EXPECT_EQ(section.claims[0].statement, "x");
  EXPECT_EQ(section.claims[0].source, "y");
  EXPECT_EQ(section.claims[0].link, "https://z");
  EXPECT_EQ(section.claims[0].line, 3);
  EXPECT_THAT(problems, IsEmpty());
}

TEST(claims, mistakes_are_named_with_their_line) {
  EXPECT_THAT(problem_with(good), HasSubstr("`section` is missing"));
  EXPECT_THAT(problem_with(head + "[[claim]]\nid = 'x'\nstatement = ''\nsource = 'y'\nlink = 'https://z'\n"),
              HasSubstr("`statement` is missing"));
  EXPECT_THAT(problem_with(head + "[[claim]]\nid = 'x'\nstatement = 's'\nsource = 'y'\nlink = 'docs'\n"),
              HasSubstr("https:// address was expected"));
  EXPECT_THAT(problem_with("section = 's'\nstatements = 1\n" + good + good),
              HasSubstr("`statements` is 1, but 2 claims follow"));
}

TEST(claims, an_id_in_two_files_is_an_error) {
  const auto problems = check_claims(
      {{.file = "f", .claims = {{.id = "a", .line = 3}}}, {.file = "g", .claims = {{.id = "a", .line = 5}}}},
      {citing("a.b", {"a"})});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(text(problems[0]), "g:5: error: claim a stands at f:3 already: remove one");
}

TEST(claims, citing_goes_both_ways) {
  const auto problems =
      check_claims({{.file = "f", .claims = {{.id = "known"}, {.id = "unused", .line = 9}}}},
                   {citing("a.b", {"known", "unknown"})});
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_THAT(text(problems[0]), HasSubstr("cases/a/b.cpp:6: error: a.b cites claim unknown"));
  EXPECT_THAT(text(problems[1]), HasSubstr("f:9: error: no case cites claim unused"));
}

TEST(claims, reach_is_one_of_three_words_and_agrees_with_its_count) {
  const std::string claim = "[[claim]]\nid = 'x'\nstatement = 's'\nsource = 'y'\nlink = 'https://z'\n";
  EXPECT_THAT(problem_with(head + claim + "reach = 'far'\n"),
              HasSubstr("two_gpus, python or advice was expected"));
  EXPECT_THAT(problem_with("section = 's'\nstatements = 2\nin_reach = 0\n" + claim),
              HasSubstr("`in_reach` is 0: at least the 1 claims"));
  EXPECT_THAT(problem_with("section = 's'\nstatements = 2\nin_reach = 3\n" + claim),
              HasSubstr("at most the 2"));
}

TEST(claims, coverage_counts_statements_and_cases_by_section) {
  CaseInfo on_two_gpus = citing("a.d", {"four"});
  on_two_gpus.needs_gpus = 2;
  std::ostringstream out;
  print_coverage({{.name = "capture",
                   .statements = 8,
                   .in_reach = 4,
                   .claims = {{.id = "one"}, {.id = "two", .reach = "python"}, {.id = "four"}}},
                  {.name = "vendor", .claims = {{.id = "three"}}}},
                 {citing("a.b", {"one", "two"}), citing("a.c", {"one", "three"}), on_two_gpus}, out);
  EXPECT_THAT(out.str(), testing::ContainsRegex("capture +8 +3 +37 % +4 +1 +25 % +3\n"));
  EXPECT_THAT(out.str(), testing::ContainsRegex("vendor +not counted +1 +0 +1 +1\n"));
  EXPECT_THAT(out.str(), testing::ContainsRegex("all that are counted +8 +3 +37 % +4 +1 +25 % +3\n"));
}

}  // namespace
}  // namespace cudasem
