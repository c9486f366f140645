#include "lint.h"

#include <gmock/gmock.h>

#include <sstream>

#include "rejudge.h"
#include "sample_log.h"
#include "test_folder.h"

namespace cudasem {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A source tree in which everything is in order: one misuse, its entry, its claim and its recording.
struct lint_test : testing::Test {
  lint_test() {
    folder.write("expected/releases.toml",
                 "[[release]]\ntorch = '2.11.0'\ncuda_toolkit = '13.0.2'\n[[release]]\ntorch = '2.14.1'\n"
                 "cuda_toolkit = '13.0.3'\n");
    folder.write(
        "expected/claims/a.toml",
        "section = 's'\n[[claim]]\nid = 'c.one'\nstatement = 's'\nsource = 'd'\nlink = 'https://l'\n");
    expect("");
    info.name = "a.b";
    info.kind = Kind::misuse;
    info.ways = {"wrong", "right"};
    info.title = "A title";
    info.claims = {"c.one"};
    info.file = "cases/a/b.cpp";
    info.line = 3;
    info.hash = "h1";
    record("x.ndjson", sample::error(900), sample::ok());
  }

  void expect(const std::string& more) {
    folder.write("expected/a.toml",
                 "[[expect]]\ncase = 'a.b/wrong'\noutcome = 'error'\nat = 'item'\ncode = 900\nwhy = 'w'\n"
                 "link = 'https://l'\n" +
                     more);
  }

  void record(const std::string& name, const Observed& wrong, const Observed& right) {
    std::filesystem::remove(folder / "reports/recorded" / name);
    folder.write("reports/recorded/" + name,
                 sample::text({sample::run(), sample::machine(), sample::subject(), sample::plan("a.b/wrong"),
                               sample::plan("a.b/right"), sample::end("a.b/wrong", wrong),
                               sample::end("a.b/right", right), sample::finish()}));
  }

  std::vector<std::string> problems(bool with_catalog = true) const {
    std::vector<Problem> found;
    const auto expectations = Expectations::load(folder / "expected");
    const auto recordings = Recordings::load(folder / "reports/recorded", found);
    const auto catalog = with_catalog ? std::optional(std::vector{info}) : std::nullopt;
    for (const auto& problem : lint({expectations, recordings, catalog, folder.path(), "2026-11-30"}))
      found.push_back(problem);
    std::vector<std::string> result;
    for (const auto& problem : found) result.push_back(text(problem));
    return result;
  }

  test::TestFolder folder;
  CaseInfo info;
};

TEST_F(lint_test, cases_that_cannot_be_read_are_an_error_unless_that_was_asked_for) {
  std::ostringstream out;
  LintOptions options;
  options.source_dir = folder.path();
  options.no_catalog_because = "no case binaries in x";
  EXPECT_EQ(lint_command(options, out), 2);
  EXPECT_THAT(out.str(), testing::HasSubstr("no case binaries in x. Without any, lint --without-cases"));
  options.without_cases = true;
  EXPECT_EQ(lint_command(options, out), 0) << out.str();
}

TEST_F(lint_test, nothing_is_said_of_a_tree_that_is_in_order) {
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(lint_test, mistakes_in_entries_are_found_without_a_catalog) {
  expect("speed = 3\n");
  EXPECT_THAT(problems(false), ElementsAre(HasSubstr("expected/a.toml:8: error: `speed` does not belong")));
}

TEST_F(lint_test, unknown_cases_and_gaps_are_found_with_a_catalog) {
  expect("torch = '>=2.14'\n[[expect]]\ncase = 'a.z'\noutcome = 'ok'\n");
  EXPECT_THAT(problems(false), IsEmpty());
  EXPECT_THAT(problems(),
              ElementsAre(HasSubstr("covers torch >=2.11, <2.14"), HasSubstr("there is no case a.z")));
}

TEST_F(lint_test, a_title_is_there_and_its_own) {
  info.title = "";
  EXPECT_THAT(problems(),
              ElementsAre("cases/a/b.cpp:3: error: a.b has no title: say in a sentence what it shows"));
  info.title = "Same";
  CaseInfo other = info;
  other.name = "a.c";
  other.kind = Kind::rule;
  other.ways = {};
  const auto expectations = Expectations::load(folder / "expected");
  const auto found = lint({expectations, Recordings(), std::vector{info, other}, {}, ""});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message, "a.c has the same title as a.b: say what is different");
}

TEST_F(lint_test, a_misuse_has_both_ways) {
  info.ways = {"wrong"};
  EXPECT_THAT(problems(), testing::Contains(HasSubstr("misuse a.b has no right way")));
}

TEST_F(lint_test, claims_are_cited_and_known) {
  info.claims = {"c.two"};
  EXPECT_THAT(problems(),
              ElementsAre(HasSubstr("a.b cites claim c.two"), HasSubstr("no case cites claim c.one")));
}

TEST_F(lint_test, links_are_public) {
  info.links = {"notes.txt"};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("a.b links to \"notes.txt\"")));
}

TEST_F(lint_test, sources_are_looked_at) {
  folder.write("cases/a/b.cpp", "\nsleep(1);\n");
  EXPECT_THAT(problems(false), ElementsAre(HasSubstr("cases/a/b.cpp:2: error: sleeping")));
}

TEST_F(lint_test, a_review_that_is_due_is_a_warning) {
  info.kind = Kind::rule;
  info.ways = {};
  const std::string broken =
      "[[expect]]\ncase = 'a.b'\noutcome = 'hang'\nat = 'x'\nwhy = 'w'\nlink = 'https://l'\n"
      "bug = true\nreview_by = ";
  std::filesystem::remove(folder / "reports/recorded/x.ndjson");
  folder.write("expected/a.toml", broken + "2026-11-29\n");
  EXPECT_THAT(problems(),
              ElementsAre(HasSubstr("expected/a.toml:1: warning: a.b was to be reviewed by 2026-11-29")));
  folder.write("expected/a.toml", broken + "2026-11-30\n");
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(lint_test, a_recorded_wrong_way_that_went_otherwise_is_an_error) {
  record("x.ndjson", sample::error(901), sample::ok());
  EXPECT_THAT(
      problems(),
      ElementsAre(AllOf(HasSubstr("expected/a.toml:1: error: a.b/wrong on torch 2.14.1+cu130 was recorded "
                                  "otherwise in reports/recorded/x.ndjson: expected error 900"),
                        HasSubstr("saw error 901"))));
}

TEST_F(lint_test, a_recorded_right_way_that_was_not_ok_is_an_error) {
  record("x.ndjson", sample::error(900), sample::error(700));
  EXPECT_THAT(problems(), ElementsAre(AllOf(HasSubstr("reports/recorded/x.ndjson: error: a.b/right"),
                                            HasSubstr("expected ok"))));
}

TEST_F(lint_test, a_skip_in_a_recording_is_no_contradiction) {
  Observed skipped;
  skipped.outcome = Outcome::skip;
  skipped.detail = "unsupported";
  record("x.ndjson", skipped, skipped);
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(lint_test, recordings_of_an_older_case_are_stale_and_contradict_nothing) {
  info.hash = "h2";
  record("x.ndjson", sample::ok(), sample::ok());
  EXPECT_THAT(
      problems(),
      ElementsAre(HasSubstr("reports/recorded/x.ndjson: warning: 2 of 2 recorded results are stale")));
}

TEST_F(lint_test, a_run_with_turned_oracles_is_no_recording) {
  auto subject = sample::subject();
  subject["env"] = {{"CUDASEM_MUTATED", "1"}};
  folder.write("reports/recorded/y.ndjson",
               sample::text({sample::run(), sample::machine(), subject, sample::finish()}));
  EXPECT_THAT(problems(),
              ElementsAre(HasSubstr("reports/recorded/y.ndjson: error: this run had its oracles turned")));
}

TEST_F(lint_test, a_recording_that_never_finished_is_a_warning) {
  folder.write("reports/recorded/y.ndjson", sample::text({sample::run()}));
  EXPECT_THAT(problems(),
              ElementsAre(HasSubstr("reports/recorded/y.ndjson: warning: this recorded run never finished")));
}

TEST_F(lint_test, problems_stand_by_file_and_line) {
  expect("speed = 3\n");
  folder.write("cases/a/b.cpp", "\n\nsleep(1);\nsleep(1);\n");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("cases/a/b.cpp:3"), HasSubstr("cases/a/b.cpp:4"),
                                      HasSubstr("expected/a.toml:8")));
}

TEST_F(lint_test, the_command_counts_evidence_and_problems) {
  std::ostringstream out;
  EXPECT_EQ(lint_command({.source_dir = folder.path(), .catalog = std::vector{info}, .verbose = true}, out),
            0);
  EXPECT_EQ(out.str(),
            "expected/a.toml:1: a.b/wrong; measured on 2.14.1; inferred on 2.11.0\n"
            "1 entry; counted by supported release: 1 measured, 1 inferred\n"
            "0 errors, 0 warnings\n");
}

TEST_F(lint_test, coverage_lists_tables_with_the_releases_that_filled_them) {
  const auto tables = [&](int cells) {
    expect("[[expect]]\ncase = 'a.b/right'\noutcome = 'ok'\nfacts = { cells = 12 }\n");
    Observed filled = sample::ok();
    filled.facts["cells"] = cells;
    record("x.ndjson", sample::error(900), filled);
    std::ostringstream out;
    lint_command({.source_dir = folder.path(), .catalog = std::vector{info}, .coverage = true}, out);
    return out.str();
  };
  EXPECT_THAT(tables(12), HasSubstr("table a.b/right: 12 cells, all measured on 2.14.1\n"));
  EXPECT_THAT(tables(11), HasSubstr("table a.b/right: 12 cells, in no recorded run\n"));
}

TEST_F(lint_test, the_command_fails_on_errors_and_says_what_it_could_not_check) {
  expect("speed = 3\n");
  std::ostringstream out;
  EXPECT_EQ(lint_command({.source_dir = folder.path(), .no_catalog_because = "nothing was built"}, out), 2);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("`speed` does not belong"), HasSubstr("were not checked"),
                               HasSubstr("nothing was built"), HasSubstr("1 error, 0 warnings")));
}

}  // namespace
}  // namespace cudasem
