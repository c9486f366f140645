#include "rejudge.h"

#include <gmock/gmock.h>

#include <sstream>

#include "sample_log.h"
#include "test_folder.h"

namespace cudasem {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string expect_900 =
    "[[expect]]\ncase = 'a.b/wrong'\noutcome = 'error'\nat = 'item'\ncode = 900\nwhy = 'w'\nlink = "
    "'https://l'\n";

/// A source tree with expectations of area a, and a log to judge.
struct rejudge_test : testing::Test {
  rejudge_test() { expect(expect_900); }

  void expect(const std::string& entries) {
    folder.write("expected/releases.toml", "[[release]]\ntorch = '2.14.1'\ncuda_toolkit = '13.0.3'\n");
    folder.write("expected/a.toml", entries);
  }

  std::vector<json> judged(const std::vector<json>& events) {
    return rejudge(read_log_text(sample::text(events), "x"), Expectations::load(folder / "expected"),
                   Recordings());
  }

  static json event(const std::vector<json>& events, const std::string& word, const std::string& id = "") {
    for (const auto& each : events)
      if (each["event"] == word && (id.empty() || each["key"] == sample::key(id))) return each;
    return nullptr;
  }

  static std::vector<json> head() {
    return {sample::run(), sample::machine(), sample::subject(), sample::plan("a.b/wrong")};
  }

  static std::vector<json> with(std::vector<json> more) {
    auto events = head();
    events.insert(events.end(), more.begin(), more.end());
    return events;
  }

  test::TestFolder folder;
};

TEST_F(rejudge_test, verdicts_and_expectations_are_todays) {
  const auto events = judged(with({sample::end("a.b/wrong", sample::error(900)),
                                   sample::verdict("a.b/wrong", "changed"), sample::finish(1)}));
  EXPECT_EQ(event(events, "verdict")["verdict"], "as_expected");
  EXPECT_EQ(event(events, "plan")["expectation"]["where"], "expected/a.toml:1");
  EXPECT_EQ(event(events, "plan")["expectation"]["evidence"], "inferred");
  EXPECT_EQ(event(events, "finish")["counts"], json({{"as_expected", 1}}));
  EXPECT_EQ(event(events, "finish")["exit"], 0);
  EXPECT_EQ(event(events, "run")["judged_from"], "r1");
  EXPECT_NE(event(events, "run")["id"], "r1");
  EXPECT_EQ(event(events, "run")["expected_hash"], Expectations::load(folder / "expected").hash());
}

TEST_F(rejudge_test, what_was_observed_is_kept_word_for_word) {
  const auto end = sample::end("a.b/wrong", sample::error(901));
  const auto events = judged(with({end, sample::finish()}));
  EXPECT_EQ(event(events, "end"), end);
  EXPECT_EQ(event(events, "verdict")["verdict"], "changed");
  EXPECT_EQ(event(events, "finish")["exit"], 1);
}

TEST_F(rejudge_test, what_is_waived_keeps_its_verdict_and_is_not_counted) {
  const auto log = with({sample::end("a.b/wrong", sample::error(901)), sample::finish()});
  const auto waived = [&](const std::string& outcome) {
    std::vector<Problem> problems;
    const auto waivers =
        Waivers::read(parse_toml("[[waiver]]\ncase = 'a.b/wrong'\noutcome = '" + outcome +
                                 "'\nowner = 'graphs'\nlink = 'https://l'\nexpires = 2027-01-31\n"),
                      "w.toml", "2026-12-01", problems);
    return rejudge(read_log_text(sample::text(log), "x"), Expectations::load(folder / "expected"),
                   Recordings(), waivers);
  };
  const auto events = waived("error");
  EXPECT_EQ(event(events, "verdict")["verdict"], "changed");
  EXPECT_EQ(event(events, "verdict")["waived"]["expires"], "2027-01-31");
  EXPECT_EQ(event(events, "finish")["counts"], json({{"waived", 1}}));
  EXPECT_EQ(event(events, "finish")["exit"], 0);
  EXPECT_FALSE(event(waived("crash"), "verdict").contains("waived"));
  EXPECT_EQ(event(waived("crash"), "finish")["exit"], 1);
}

TEST_F(rejudge_test, a_judged_log_is_a_log_that_can_be_judged_again) {
  const auto once = judged(with({sample::end("a.b/wrong", sample::error(900)), sample::finish()}));
  const auto twice = judged(once);
  EXPECT_EQ(event(twice, "verdict"), event(once, "verdict"));
  EXPECT_EQ(event(twice, "plan"), event(once, "plan"));
}

TEST_F(rejudge_test, what_was_planned_and_never_finished_is_missing) {
  const auto events = judged(head());
  EXPECT_EQ(event(events, "verdict")["verdict"], "missing");
  EXPECT_EQ(event(events, "finish")["exit"], 2) << "a killed run is not valid, however it is judged";
}

TEST_F(rejudge_test, only_as_many_attempts_count_as_the_verdict_was_about) {
  const auto again =
      with({sample::end("a.b/wrong", sample::ok()), sample::end("a.b/wrong", sample::error(900))});
  EXPECT_EQ(event(judged(again), "verdict")["verdict"], "as_expected");
  auto repeated = again;
  repeated.push_back(sample::verdict("a.b/wrong", "flaky", 1, 2));
  const auto verdict = event(judged(repeated), "verdict");
  EXPECT_EQ(verdict["verdict"], "flaky");
  EXPECT_EQ(verdict["k"], 1);
  EXPECT_EQ(verdict["n"], 2);
}

TEST_F(rejudge_test, a_run_that_was_not_valid_stays_so) {
  EXPECT_EQ(event(judged(with({sample::end("a.b/wrong", sample::error(900)), sample::finish(2)})),
                  "finish")["exit"],
            2);
  EXPECT_EQ(event(judged({sample::run()}), "finish")["exit"], 2);
}

TEST_F(rejudge_test, without_an_entry_there_is_a_default_or_null) {
  expect("");
  const auto events = judged({sample::run(), sample::machine(), sample::subject(), sample::plan("a.b/wrong"),
                              sample::plan("a.c"), sample::plan("a.*")});
  EXPECT_TRUE(event(events, "plan", "a.b/wrong")["expectation"].is_null());
  EXPECT_EQ(event(events, "plan", "a.c")["expectation"], json({{"outcome", "ok"}, {"where", "default"}}));
  EXPECT_TRUE(event(events, "plan", "a.*")["expectation"].is_null());
}

TEST_F(rejudge_test, a_log_is_never_overwritten) {
  folder.write("there.ndjson", "mine");
  EXPECT_THROW(write_log(folder / "there.ndjson", {sample::run()}), LogError);
  EXPECT_EQ(test::read_file(folder / "there.ndjson"), "mine");
}

TEST_F(rejudge_test, the_name_decides_whether_a_log_is_compressed) {
  write_log(folder / "x.ndjson", head());
  write_log(folder / "x.ndjson.gz", head());
  EXPECT_EQ(test::read_file(folder / "x.ndjson"), sample::text(head()));
  EXPECT_EQ(test::read_file(folder / "x.ndjson.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(read_log(folder / "x.ndjson.gz").events, head());
}

struct judge_command_test : rejudge_test {
  int command() {
    return judge_command({folder / "in.ndjson", folder / "out.ndjson", folder / "expected", folder / "none"},
                         out, err);
  }
  std::ostringstream out, err;
};

TEST_F(judge_command_test, prints_what_is_not_as_expected_and_writes_a_new_log) {
  const std::string old =
      sample::text(with({sample::end("a.b/wrong", sample::error(901)), sample::finish()}));
  folder.write("in.ndjson", old);
  EXPECT_EQ(command(), 1);
  EXPECT_EQ(out.str(),
            "changed: a.b/wrong | torch 2.14.1+cu130 | native: expected error 900 at \"item\"; saw error 901 "
            "c10::AcceleratorError at \"item\"\n1 changed\nlog: " +
                (folder / "out.ndjson").string() + "\n");
  EXPECT_EQ(test::read_file(folder / "in.ndjson"), old);
  EXPECT_EQ(read_log(folder / "out.ndjson").entries.at(0).verdict["verdict"], "changed");
}

TEST(judged_name, stands_beside_the_log_and_is_not_taken) {
  test::TestFolder folder;
  EXPECT_EQ(judged_name(folder / "a.ndjson.ndjson.gz"), folder / "a.ndjson-judged.ndjson");
  EXPECT_EQ(judged_name(folder / "x.txt"), folder / "x.txt-judged.ndjson");
  EXPECT_EQ(judged_name("x.ndjson"), "x-judged.ndjson");
  folder.write("x-judged.ndjson", "");
  EXPECT_EQ(judged_name(folder / "x.ndjson"), folder / "x-judged-2.ndjson");
}

TEST_F(judge_command_test, wrong_expectations_judge_nothing) {
  folder.write("in.ndjson", sample::text(head()));
  expect("[[expect]]\ncase = 'a.b'\n");
  EXPECT_EQ(command(), 2);
  EXPECT_THAT(err.str(), HasSubstr("expected/a.toml:1: error: `outcome` is missing"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out.ndjson"));
}

TEST_F(judge_command_test, a_log_that_cannot_be_read_is_named) {
  EXPECT_EQ(command(), 2);
  EXPECT_THAT(err.str(), HasSubstr("in.ndjson: the log cannot be read"));
  folder.write("in.ndjson", "");
  EXPECT_EQ(command(), 2);
  EXPECT_THAT(err.str(), HasSubstr("there is nothing to judge"));
}

}  // namespace
}  // namespace cudasem
