#include "expectations.h"

#include <gmock/gmock.h>

#include "test_folder.h"

namespace cudasem {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string releases = "[[release]]\ntorch = '2.11.0'\ncuda_toolkit = '13.0.2'\n";

/// Entries of replay.toml, one a line: "id | conditions and outcome". An outcome that is left out is `ok`.
std::string entry(const std::string& id, const std::string& conditions,
                  const std::string& outcome = "outcome = 'ok'") {
  return "[[expect]]\ncase = '" + id + "'\n" + conditions + "\n" + outcome +
         "\nwhy = 'w'\nlink = 'https://l'\n";
}

Expectations load(const std::string& replay) {
  test::TestFolder folder;
  folder.write("releases.toml", releases);
  folder.write("replay.toml", replay);
  return Expectations::load(folder.path());
}

std::vector<std::string> texts(const std::vector<Problem>& problems) {
  std::vector<std::string> result;
  for (const auto& problem : problems) result.push_back(text(problem));
  return result;
}

CaseInfo misuse(const std::string& name, int gpus = 1) {
  CaseInfo info;
  info.name = name;
  info.kind = Kind::misuse;
  info.ways = {"wrong", "right"};
  info.needs_gpus = gpus;
  return info;
}

CaseInfo rule(const std::string& name, Kind kind = Kind::rule) {
  CaseInfo info;
  info.name = name;
  info.kind = kind;
  return info;
}

TEST(expectations, the_entry_that_applies_is_found) {
  const auto all =
      load(entry("replay.x/wrong", "torch = '<2.13'") + entry("replay.x/wrong", "torch = '>=2.13'") +
           entry("replay.x/wrong", "profile = 'uncached'"));
  EXPECT_THAT(texts(all.problems()), IsEmpty());
  const auto line = [&](const std::string& id, const std::string& torch,
                        const std::string& profile = "native") {
    const auto* found = all.find(id, Subject{.torch = torch, .profile = profile});
    return found ? found->line : 0;
  };
  EXPECT_EQ(line("replay.x/wrong", "2.11.0"), 1);
  EXPECT_EQ(line("replay.x/wrong", "2.14.1+cu130"), 7);
  EXPECT_EQ(line("replay.x/wrong", "2.14.1", "uncached"), 13);
  EXPECT_EQ(line("replay.x/right", "2.14.1"), 0);
}

TEST(expectations, a_profile_without_an_entry_of_its_own_takes_the_native_one) {
  const auto all =
      load(entry("replay.x/wrong", "") + entry("replay.y/wrong", "torch = '>=2.13'\nprofile = 'uncached'") +
           entry("replay.y/wrong", "torch = '<2.13'"));
  const auto line = [&](const std::string& id, const std::string& torch, const std::string& profile) {
    const auto* found = all.find(id, Subject{.torch = torch, .profile = profile});
    return found ? found->line : 0;
  };
  EXPECT_EQ(line("replay.x/wrong", "2.14.1", "uncached"), 1);
  EXPECT_EQ(line("replay.y/wrong", "2.14.1", "uncached"), 7);
  EXPECT_EQ(line("replay.y/wrong", "2.11.0", "uncached"), 14);
  EXPECT_EQ(line("replay.y/wrong", "2.14.1", "native"), 0);
}

TEST(expectations, two_entries_that_can_both_apply_are_an_error) {
  const auto all =
      load(entry("replay.x/wrong", "torch = '>=2.13'") + entry("replay.x/wrong", "torch = '>=2.14'"));
  EXPECT_THAT(
      texts(all.problems()),
      ElementsAre(
          "expected/replay.toml:7: error: `torch` ranges of two entries for replay.x/wrong overlap (>=2.13 "
          "and >=2.14); the other is at expected/replay.toml:1. Narrow one of them."));
}

TEST(expectations, entries_that_overlap_only_in_some_dimensions_do_not_collide) {
  EXPECT_THAT(load(entry("replay.x/wrong", "torch = '>=2.13'\ncc = '<10'") +
                   entry("replay.x/wrong", "torch = '>=2.13'\ncc = '>=10'"))
                  .problems(),
              IsEmpty());
  EXPECT_THAT(texts(load(entry("replay.x/wrong", "torch = '>=2.13'") + entry("replay.x/wrong", "cc = '>=10'"))
                        .problems()),
              ElementsAre(HasSubstr(
                  "`torch` and `cc` ranges of two entries for replay.x/wrong overlap (>=2.13 and any; any "
                  "and >=10.0)")));
  EXPECT_THAT(texts(load(entry("replay.x/wrong", "") + entry("replay.x/wrong", "")).problems()),
              ElementsAre(HasSubstr("always apply together")));
}

TEST(expectations, every_pair_and_every_file_is_reported) {
  test::TestFolder folder;
  folder.write("replay.toml", entry("replay.x", "") + entry("replay.x", "") + entry("replay.x", ""));
  folder.write("capture.toml", "a = \n");
  folder.write("notes.txt", "not TOML");
  const auto problems = texts(Expectations::load(folder.path()).problems());
  EXPECT_THAT(problems, testing::SizeIs(5));
  EXPECT_THAT(problems, Contains(HasSubstr("expected/capture.toml:1: error: ")));
  EXPECT_THAT(problems, Contains(HasSubstr("expected/releases.toml: error: the file is missing")));
}

TEST(expectations, what_is_named_like_a_file_and_cannot_be_read_is_a_problem) {
  test::TestFolder folder;
  folder.write("releases.toml", releases);
  std::filesystem::create_directory(folder.path() / "replay.toml");
  std::filesystem::create_symlink("nowhere", folder.path() / "capture.toml");
  EXPECT_THAT(
      texts(Expectations::load(folder.path()).problems()),
      testing::ElementsAre(testing::HasSubstr("expected/capture.toml: error: the file cannot be read"),
                           testing::HasSubstr("expected/replay.toml: error: the file cannot be read")));
}

TEST(expectations, a_folder_that_is_not_there_is_a_problem) {
  EXPECT_TRUE(has_errors(Expectations::load("/nowhere/expected").problems()));
}

TEST(expectations, the_hash_changes_with_names_and_contents) {
  const auto one = load(entry("replay.x", "")), same = load(entry("replay.x", "")),
             other = load(entry("replay.y", ""));
  EXPECT_EQ(one.hash(), same.hash());
  EXPECT_NE(one.hash(), other.hash());
  EXPECT_EQ(one.hash().size(), 16u);
}

TEST(expectations, a_wrong_way_without_a_gap_is_accepted) {
  const auto all =
      load(entry("replay.x/wrong", "torch = '>=2.11, <2.14'") + entry("replay.x/wrong", "torch = '>=2.14'"));
  EXPECT_THAT(texts(all.check({misuse("replay.x")})), IsEmpty());
}

TEST(expectations, a_gap_of_a_wrong_way_is_named_as_a_range) {
  const auto gap = [](const std::string& entries, int gpus = 1) {
    return texts(load(entries).check({misuse("replay.x", gpus)}));
  };
  EXPECT_THAT(gap(entry("replay.x/wrong", "torch = '<2.13'") + entry("replay.x/wrong", "torch = '>=2.14'")),
              ElementsAre("expected/replay.toml:7: error: no entry for replay.x/wrong covers torch >=2.13, "
                          "<2.14: say what is "
                          "expected there, `ok` included"));
  EXPECT_THAT(gap(""), ElementsAre(HasSubstr("covers torch >=2.11:")));
  EXPECT_THAT(gap(entry("replay.x/wrong", "torch = '<2.14'")),
              ElementsAre(HasSubstr("covers torch >=2.14:")));
  EXPECT_THAT(gap(entry("replay.x/wrong", "cuda = '<13.2'")),
              ElementsAre(HasSubstr("covers torch >=2.11; cuda >=13.2:")));
  EXPECT_THAT(gap(entry("replay.x/wrong", "profile = 'uncached'")),
              ElementsAre(HasSubstr("covers torch >=2.11:")));
  EXPECT_THAT(gap(entry("replay.x/wrong", "gpus = '>=2'")),
              ElementsAre(HasSubstr("covers torch >=2.11; gpus >=1, <2:")));
  EXPECT_THAT(gap(entry("replay.x/wrong", "gpus = '>=2'"), 2), IsEmpty());
}

TEST(expectations, a_right_way_and_a_rule_need_no_entry) {
  EXPECT_THAT(load("").check({rule("replay.y"), rule("replay.z", Kind::observe)}), IsEmpty());
}

TEST(expectations, a_file_that_cannot_be_read_does_not_also_have_gaps) {
  EXPECT_THAT(load(entry("replay.x/wrong", "torch = 'all'")).check({misuse("replay.x")}), IsEmpty());
}

TEST(expectations, unknown_cases_and_ways_are_errors) {
  const std::vector<CaseInfo> cases = {rule("replay.y"), misuse("replay.x")};
  const auto of = [&](const std::string& id) {
    return texts(
        load(entry(id, "") + entry("replay.x/wrong", "torch = '>=2'\nprofile = 'native'")).check(cases));
  };
  EXPECT_THAT(of("replay.z"), ElementsAre(HasSubstr("toml:1: error: there is no case replay.z")));
  EXPECT_THAT(of("replay.x"),
              ElementsAre(HasSubstr("`case` must name a way, replay.x/wrong or replay.x/right")));
  EXPECT_THAT(of("replay.y/wrong"), ElementsAre(HasSubstr("replay.y has no ways")));
  EXPECT_THAT(of("replay.y"), IsEmpty());
}

TEST(expectations, entries_of_an_area_that_was_not_built_are_warned_of_once) {
  const auto problems = load(entry("replay.x", "") + entry("replay.y", "")).check({rule("capture.z")});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].severity, Severity::warning);
  EXPECT_THAT(problems[0].message, HasSubstr("no case of area replay was built"));
}

TEST(expectations, a_broken_promise_is_marked_and_nothing_else_is) {
  const std::string hang = "outcome = 'hang'\nat = 'a'", bug = "bug = true\nreview_by = 2027-06-01";
  const std::vector<CaseInfo> cases = {rule("replay.y"), rule("replay.o", Kind::observe), misuse("replay.x")};
  const std::string cover = entry("replay.x/wrong", "");
  const auto of = [&](const std::string& id, const std::string& conditions, const std::string& outcome) {
    return texts(load((id == "replay.x/wrong" ? "" : cover) + entry(id, conditions, outcome)).check(cases));
  };
  EXPECT_THAT(of("replay.y", "", hang), ElementsAre(HasSubstr("add `bug = true` and `review_by")));
  EXPECT_THAT(of("replay.y", bug, hang), IsEmpty());
  EXPECT_THAT(of("replay.x/right", "", hang), ElementsAre(HasSubstr("add `bug = true`")));
  EXPECT_THAT(of("replay.y", "", "outcome = 'skip'\ndetail = 'harmful'"), IsEmpty());
  EXPECT_THAT(of("replay.x/wrong", bug, hang), ElementsAre(HasSubstr("replay.x/wrong is none")));
  EXPECT_THAT(of("replay.y", bug, "outcome = 'ok'"), ElementsAre(HasSubstr("replay.y is none")));
  EXPECT_THAT(of("replay.o", "", hang), IsEmpty());
}

TEST(expectations, what_stands_in_this_repository_is_in_order) {
  const auto all = Expectations::load(std::string(CUDASEM_SOURCE_DIR) + "/expected");
  EXPECT_THAT(texts(all.problems()), IsEmpty());
  EXPECT_THAT(all.entries(), testing::Not(IsEmpty()));
  EXPECT_THAT(all.claims(), testing::Not(IsEmpty()));
}

TEST(expectations, a_teams_own_stand_beside_the_suites) {
  test::TestFolder folder;
  folder.write("expected/releases.toml", releases);
  folder.write("expected/replay.toml", entry("replay.x/wrong", "", "outcome = 'hang'\nat = 'a'"));
  folder.write("team/ours.toml", entry("ours.y/wrong", "", "outcome = 'hang'\nat = 'a'"));
  folder.write("team/claims/ours.toml", "nonsense");
  const auto both = Expectations::load((folder / "expected").string() + ":" + (folder / "team").string());
  EXPECT_EQ(both.entries().size(), 2u);
  EXPECT_NE(both.hash(), Expectations::load(folder / "expected").hash());
  EXPECT_THAT(texts(both.problems()), ElementsAre(HasSubstr("team/claims/ours.toml:1")));
  EXPECT_THAT(
      texts(Expectations::load((folder / "expected").string() + ":" + (folder / "none").string()).problems()),
      ElementsAre(HasSubstr("none: error: no such folder")));
}

}  // namespace
}  // namespace cudasem
