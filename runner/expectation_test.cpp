#include "expectation.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "expectation_parser.h"

namespace cudasem {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Expectation entry(const std::string& lines) {
  std::vector<Problem> problems;
  const auto entries = parse_expectations(
      parse_toml("[[expect]]\ncase = 'replay.x/wrong'\nwhy = 'w'\nlink = 'https://l'\n" + lines),
      "expected/replay.toml", problems);
  EXPECT_FALSE(has_errors(problems)) << text(problems.front());
  return entries.at(0);
}

TEST(expectation, a_log_holds_the_entry_as_it_is_written) {
  const auto written = entry(
      "torch = '>=2.11'\noutcome = 'error'\nat = 'item'\ncode = 900\n"
      "then = [{ outcome = 'error', at = 'end', code = 901 }]\nfacts = { n = 6, m = { min = 1 } }\nwarning = "
      "'e'\n"
      "bug = true\nreview_by = 2027-06-01\n");
  EXPECT_EQ(to_json(written, Evidence::measured), json::parse(R"({
    "outcome": "error", "at": "item", "code": 900, "then": [{"outcome": "error", "at": "end", "code": 901}],
    "facts": {"n": 6, "m": {"min": 1.0}}, "warning": "e", "why": "w", "link": "https://l", "bug": true,
    "review_by": "2027-06-01", "where": "expected/replay.toml:1", "conditions": {"torch": ">=2.11"},
    "evidence": "measured"})"));
}

TEST(expectation, every_kind_of_entry_comes_back_from_a_log) {
  for (const char* lines :
       {"outcome = 'ok'\nfacts = { n = 6, m = { min = 1, max = 2.5 }, w = 'x', b = false }",
        "outcome = 'error'\nat = 'a'\ntype = 't'\ntext = 'x.*y'\nprofile = 'uncached'\ngpus = '>1'",
        "outcome = 'corrupt'\nwant = 20\ngot = 'any'\nclass = 'stale'\nbug = true\nreview_by = 2027-06-01",
        "outcome = 'crash'\nsignal = 'SIGABRT'\ntext = 'x'\nthen = [{ outcome = 'error', at = 'a', code = 1 "
        "}]",
        "outcome = 'crash'\nexit = 3", "outcome = 'skip'\ndetail = 'resource'",
        "one_of = [{ outcome = 'hang', at = 'a' }, { outcome = 'ok' }]\nwarning = 'w'"}) {
    const json once = to_json(entry(lines), Evidence::inferred);
    const auto back = expectation_from_json(once, "replay.x/wrong");
    EXPECT_EQ(to_json(back, Evidence::inferred), once) << lines;
    EXPECT_EQ(back.conditions.text(), entry(lines).conditions.text());
    EXPECT_EQ(back.id, "replay.x/wrong");
  }
}

TEST(expectation, a_default_comes_back_from_a_log) {
  const auto back = expectation_from_json(default_expectation(Kind::rule, ""), "replay.y");
  EXPECT_EQ(text(back), "ok");
  EXPECT_EQ(back.where(), "default");
}

TEST(expectation, only_a_wrong_way_has_no_default) {
  EXPECT_TRUE(default_expectation(Kind::misuse, "wrong").is_null());
  for (const auto& given : {default_expectation(Kind::misuse, "right"), default_expectation(Kind::rule, ""),
                            default_expectation(Kind::observe, ""), default_expectation(Kind::measure, "")})
    EXPECT_EQ(given, json({{"outcome", "ok"}, {"where", "default"}}));
}

TEST(expectation, a_damaged_one_is_refused_with_its_place) {
  for (const auto& damaged : {json({{"outcome", "fine"}, {"where", "expected/x.toml:3"}}), json::array(),
                              json(nullptr), json({{"outcome", "ok"}, {"at", nullptr}})})
    EXPECT_THROW(expectation_from_json(damaged, "x.y"), std::runtime_error);
  try {
    expectation_from_json({{"outcome", "fine"}, {"where", "expected/x.toml:3"}}, "x.y");
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("x.y from expected/x.toml:3: `outcome` is \"fine\""));
  }
}

TEST(expectation, a_pattern_is_searched_and_says_what_is_wrong_with_it) {
  EXPECT_TRUE(Pattern("b.d").found_in("abcde"));
  EXPECT_FALSE(Pattern("^b").found_in("abcde"));
  EXPECT_TRUE(Pattern("").found_in(std::string(1 << 20, 'x')));
  EXPECT_TRUE(Pattern("end$").found_in(std::string(1 << 20, 'x') + "end"));
  try {
    const Pattern broken("a(b");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"a(b\" is no regular expression (RE2"));
  }
}

TEST(expectation, no_pattern_takes_for_ever) {
  const std::string text(100'000, 'a');
  for (const char* nasty : {"(a|aa)+b", "(a*)*b", "(x(a+)y){2}", "((a)*)+b", "^(([a-z])+.)+[A-Z]$"})
    EXPECT_FALSE(Pattern(nasty).found_in(text)) << nasty;
}

TEST(expectation, what_would_need_backtracking_is_refused) {
  for (const char* backtracking : {"(?=a)", "(a)\\1", "(?<!b)a"})
    EXPECT_THROW(Pattern{backtracking}, std::invalid_argument) << backtracking;
}

}  // namespace
}  // namespace cudasem
