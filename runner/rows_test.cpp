#include "rows.h"

#include <gmock/gmock.h>

#include <sstream>

#include "sample_log.h"

namespace cudasem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string good =
    "[[row]]\nid = 'A1'\ntitle = 'selecting a device'\nlink = 'https://z'\n"
    "[[row.spelling]]\ntext = 'an index'\ncases = ['a.b', 'a.c']\n";

std::vector<Row> rows_of(const std::string& document) {
  std::vector<Problem> problems;
  auto rows = read_rows(parse_toml(document), "expected/rows.toml", problems);
  EXPECT_THAT(problems, IsEmpty());
  return rows;
}

std::string problem_with(const std::string& document) {
  std::vector<Problem> problems;
  read_rows(parse_toml(document), "expected/rows.toml", problems);
  return problems.empty() ? "none" : text(problems.front());
}

CaseInfo info(const std::string& name, int gpus) {
  CaseInfo result;
  result.name = name;
  result.needs_gpus = gpus;
  result.hash = "h1";
  return result;
}

std::string table(const std::vector<CaseInfo>& cases, const Recordings& recordings) {
  std::ostringstream out;
  print_rows(rows_of(good), cases, recordings, out);
  return out.str();
}

Recordings recorded(std::initializer_list<const char*> ids, const Observed& observed) {
  std::vector<nlohmann::json> events = {sample::run(), sample::machine(), sample::subject()};
  for (const auto* id : ids) {
    events.push_back(sample::plan(id, "h1"));
    events.push_back(sample::end(id, observed));
  }
  return Recordings({read_log_text(sample::text(events), "x")});
}

TEST(rows, all_fields_are_read) {
  const auto rows = rows_of(good);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].id, "A1");
  EXPECT_EQ(rows[0].title, "selecting a device");
  EXPECT_EQ(rows[0].link, "https://z");
  ASSERT_EQ(rows[0].spellings.size(), 1u);
  EXPECT_EQ(rows[0].spellings[0].text, "an index");
  EXPECT_THAT(rows[0].spellings[0].cases, ElementsAre("a.b", "a.c"));
  EXPECT_EQ(rows[0].spellings[0].line, 5);
}

TEST(rows, mistakes_are_named_with_their_line) {
  EXPECT_THAT(problem_with(good + good),
              HasSubstr("expected/rows.toml:9: error: row A1 stands here a second time"));
  EXPECT_THAT(problem_with("[[row]]\nid = 'A1'\ntitle = 't'\nlink = 'https://z'\n"),
              HasSubstr("has no [[row.spelling]]"));
  EXPECT_THAT(
      problem_with("[[row]]\nid = 'A1'\ntitle = 't'\nlink = 'https://z'\n[[row.spelling]]\ntext = 'x'\n"),
      HasSubstr("`cases` names no case"));
  EXPECT_THAT(
      problem_with("[[row]]\nid = 'A1'\ntitle = 't'\nlink = 'https://z'\n[[row.spelling]]\ntext = 'x'\n"
                   "cases = [3]\n"),
      HasSubstr("only strings were expected"));
}

TEST(rows, a_case_that_does_not_exist_is_an_error) {
  const auto problems = check_rows(rows_of(good), "expected/rows.toml", {info("a.b", 1)});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(text(problems[0]),
            "expected/rows.toml:5: error: row A1 names a.c, and there is no such case: correct the name, or "
            "remove it");
  EXPECT_THAT(check_rows(rows_of(good), "f", {info("a.b", 1), info("a.c", 0)}), IsEmpty());
}

TEST(rows, cases_of_an_area_that_was_not_built_are_warned_of) {
  const auto problems = check_rows(rows_of(good), "f", {info("other.b", 1)});
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].severity, Severity::warning);
}

TEST(rows, the_table_counts_cases_by_the_gpus_that_they_need) {
  EXPECT_THAT(table({info("a.b", 0), info("a.c", 2)}, {}),
              HasSubstr("  1      0       1  not yet as it is today"));
  EXPECT_THAT(table({info("a.b", 2), info("a.c", 2)}, {}),
              HasSubstr("  0      0       2  needs more than one GPU"));
}

TEST(rows, measured_are_releases_on_which_all_cases_for_one_gpu_are_recorded_as_they_are) {
  const std::vector<CaseInfo> both = {info("a.b", 1), info("a.c", 1)},
                              second_gpu = {info("a.b", 1), info("a.c", 2)};
  EXPECT_THAT(table(both, recorded({"a.b", "a.c"}, sample::ok())), HasSubstr("2.14.1"));
  EXPECT_THAT(table(both, recorded({"a.b"}, sample::ok())), Not(HasSubstr("2.14.1")));
  EXPECT_THAT(table(second_gpu, recorded({"a.b"}, sample::ok())), HasSubstr("2.14.1"));
  auto changed = both;
  changed[0].hash = "h2";
  EXPECT_THAT(table(changed, recorded({"a.b", "a.c"}, sample::ok())), Not(HasSubstr("2.14.1")));
  Observed skipped;
  skipped.outcome = Outcome::skip;
  EXPECT_THAT(table(both, recorded({"a.b", "a.c"}, skipped)), Not(HasSubstr("2.14.1")));
}

}  // namespace
}  // namespace cudasem
