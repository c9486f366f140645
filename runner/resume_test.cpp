// Runs that were cut short and go on: nothing is lost, nothing is there twice.
#include "resume.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <random>
#include <set>

#include "run_program.h"
#include "stress.h"

namespace cudasem {
namespace {

namespace fs = std::filesystem;
using std::chrono::microseconds;
using std::chrono::seconds;
using test::read_file;
using test::RunProgram;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Resume : public RunProgram {
 protected:
  Finished resume(std::vector<std::string> args = {}, const test::Environment& env = {}) {
    SubprocessSet set;
    args.insert(args.end(), {"--resume", log_path()});
    return run_to_end(set, run_spec(args, env), seconds(60));
  }
  /// SIGKILL to the runner, `after` its start.
  void run_and_kill(const std::vector<std::string>& args, microseconds after) {
    SubprocessSet set;
    auto program = set.start(run_spec(args));
    const auto moment = Clock::now() + after;
    while (!program->ending() && Clock::now() < moment) set.wait(moment);
    if (!program->ending()) ::kill(program->pid(), SIGKILL);
    while (!program->ending()) set.wait(Clock::now() + seconds(10));
  }
  /// The log as a run leaves it that is killed before the first `word` event of a case.
  void cut_before(const std::string& word, const std::string& id) {
    std::string kept;
    for (const auto& event : log().events) {
      if (event.at("event") == word && event.at("key").get<std::string>().starts_with(id + " |")) break;
      kept += event.dump() + "\n";
    }
    folder.write("run.ndjson", kept);
  }
  void keep_log_as(const std::string& name) { fs::rename(log_path(), folder / name); }

  /// What a reader of the log takes for the results.
  std::map<std::string, nlohmann::json> results() const {
    std::map<std::string, nlohmann::json> found;
    for (const auto& entry : log().entries) {
      auto& result = found[entry.id()];
      if (!entry.attempts.empty()) result["observed"] = comparable(entry.attempts.back());
      result["verdict"] = entry.verdict;
    }
    return found;
  }
  void expect_nothing_twice() const {
    std::multiset<std::string> seen;
    for (const auto& event : log().events) {
      const std::string word = event.at("event");
      if (word == "plan" || word == "verdict") seen.insert(word + " " + event.at("key").get<std::string>());
      if (word == "begin") seen.insert(event.at("key").get<std::string>() + event.at("attempt").dump());
    }
    for (const auto& one : seen) EXPECT_EQ(seen.count(one), 1u) << one;
  }
};

TEST_F(Resume, RunsWhatHasNoVerdictAndNothingElse) {
  run({"misbehave.passes", "misbehave.fails", "misbehave.after_waiting", "--jobs", "1"});
  const auto undisturbed = results();
  cut_before("end", "misbehave.after_waiting");
  const Finished done = resume({"--jobs", "1"}, {{"MISBEHAVE_RUNS", folder / "runs"}});
  EXPECT_EQ(done.ending.exit, 1) << done.out << done.err;
  EXPECT_EQ(read_file(folder / "runs"), "misbehave.after_waiting []\n");
  EXPECT_THAT(ends("misbehave.after_waiting"), ElementsAre("2 first ok"));
  EXPECT_EQ(results(), undisturbed);
  expect_nothing_twice();
  EXPECT_EQ(log().finish.at("counts"), (nlohmann::json{{"as_expected", 2}, {"regression", 1}}));
  EXPECT_THAT(done.out, HasSubstr("2 as expected, 1 regression"));
}

TEST_F(Resume, TakesOverHowOftenCasesRun) {
  run({"misbehave.passes", "misbehave.after_waiting", "--repeat", "2", "--jobs", "1"});
  cut_before("verdict", "misbehave.after_waiting");
  EXPECT_EQ(resume().ending.exit, 0);
  EXPECT_EQ(log().entries.at(1).verdict.at("n"), 2);
}

TEST_F(Resume, FinishedRunIsShownAgain) {
  run({"misbehave.passes", "misbehave.fails"});
  const Finished done = resume({}, {{"MISBEHAVE_RUNS", folder / "runs"}});
  EXPECT_EQ(done.ending.exit, 1);
  EXPECT_THAT(done.out, HasSubstr("cudasem run 'misbehave.fails'"));
  EXPECT_FALSE(fs::exists(folder / "runs"));
  expect_nothing_twice();
}

TEST_F(Resume, TornLastLineIsCutOff) {
  run({"misbehave.passes", "misbehave.fails", "--jobs", "1"});
  cut_before("verdict", "misbehave.passes");
  folder.write("run.ndjson", read_file(log_path()) + "{\"event\":\"verd");
  EXPECT_EQ(resume().ending.exit, 1);
  EXPECT_THAT(read_file(log_path()), Not(HasSubstr("\"verd{")));
  EXPECT_EQ(verdict("misbehave.passes"), "as_expected");
}

TEST_F(Resume, RefusesWhatIsNotTheSameRun) {
  run({"misbehave.passes"});
  const std::string before = read_file(log_path());
  EXPECT_THAT(resume({"misbehave.fails"}).err,
              AllOf(HasSubstr("cannot resume: the selection was"), HasSubstr("misbehave.fails")));
  EXPECT_THAT(resume({"--profile", "no_caching"}).err,
              HasSubstr("the profile was \"native\", is now \"no_caching\""));
  EXPECT_THAT(resume({}, {{"MISBEHAVE_GPUS", "1"}}).err, HasSubstr("the list of GPUs was []"));
  expect("[[expect]]\ncase = \"misbehave.passes\"\noutcome = \"ok\"\n");
  EXPECT_THAT(resume().err, HasSubstr("the hash of expected/ was"));
  EXPECT_EQ(resume().ending.exit, 2);
  EXPECT_EQ(read_file(log_path()), before);
}

TEST_F(Resume, RefusesOtherBinariesAndAnotherTorch) {
  run({"misbehave.passes"});
  const std::string before = read_file(log_path());
  auto pretend = [&](const std::string& member, const nlohmann::json& value) {
    std::string text;
    for (auto event : log().events) {
      if (event.at("event") == "subject") event[member] = value;
      text += event.dump() + "\n";
    }
    folder.write("run.ndjson", text);
    std::string said = resume().err;
    folder.write("run.ndjson", before);
    return said;
  };
  EXPECT_THAT(pretend("torch", "2.11.0"), HasSubstr("torch was \"2.11.0\", is now \"2.14.1"));
  EXPECT_THAT(pretend("binaries", {{"misbehave", "feed"}}),
              HasSubstr("the hash of cudasem_misbehave was \"feed\""));
}

TEST_F(Resume, RefusesLogsThatCannotGoOn) {
  EXPECT_EQ(resume().ending.exit, 64) << "there is none";
  folder.write("run.ndjson", "");
  EXPECT_THAT(resume().err, HasSubstr("cut before its first case"));
  run({"misbehave.passes", "--stress"});
  EXPECT_THAT(resume().err, HasSubstr("entry exam"));
}

TEST_F(Resume, RefusesALogThatIsStillWritten) {
  SubprocessSet set;
  auto program = set.start(run_spec({"misbehave.waits_for_file"}, {{"MISBEHAVE_GO", folder / "go"}}));
  while (!program->ending() && read_file(log_path()).find("\"event\":\"begin\"") == std::string::npos)
    set.wait(Clock::now() + std::chrono::milliseconds(1));
  EXPECT_THAT(resume().err, HasSubstr("another run still writes to it"));
  folder.write("go", "");
  while (!program->ending()) set.wait(Clock::now() + seconds(10));
  EXPECT_EQ(program->ending()->exit, 0);
}

/// Interrupts a run once or twice while its first case waits, and lets it end.
class ResumeInterrupted : public Resume, public testing::WithParamInterface<int> {};

TEST_P(ResumeInterrupted, GoesOn) {
  const test::Environment env{{"MISBEHAVE_GO", folder / "go"}};
  SubprocessSet set;
  auto program =
      set.start(run_spec({"misbehave.waits_for_file", "misbehave.after_waiting", "--jobs", "1"}, env));
  while (!program->ending() && read_file(log_path()).find("\"event\":\"begin\"") == std::string::npos)
    set.wait(Clock::now() + std::chrono::milliseconds(1));
  ::kill(program->pid(), SIGINT);
  while (!program->ending() && program->out().find("interrupted") == std::string::npos)
    set.wait(Clock::now() + seconds(10));
  if (GetParam() == 2) ::kill(program->pid(), SIGINT);
  if (GetParam() == 1) folder.write("go", "");
  while (!program->ending()) set.wait(Clock::now() + seconds(10));
  EXPECT_EQ(program->ending()->exit, 2);
  folder.write("go", "");
  const Finished done = resume({}, env);
  EXPECT_EQ(done.ending.exit, 0) << done.out << done.err;
  EXPECT_EQ(log().finish.at("counts"), (nlohmann::json{{"as_expected", 2}}));
  expect_nothing_twice();
}
INSTANTIATE_TEST_SUITE_P(OnceAndTwice, ResumeInterrupted, testing::Values(1, 2));

TEST_F(Resume, DeadlineLeavesTheRestMissingUntilItIsResumed) {
  const Finished done = run(
      {"misbehave.hangs", "misbehave.after_waiting", "--jobs", "1", "--repeat", "40", "--deadline", "1s"});
  EXPECT_EQ(done.ending.exit, 1) << done.out;
  EXPECT_THAT(done.out, AllOf(HasSubstr("the deadline is reached"), HasSubstr("2 cases are missing")));
  EXPECT_EQ(observed("misbehave.after_waiting").detail, "deadline");
  EXPECT_EQ(log().finish.at("counts"), (nlohmann::json{{"missing", 2}}));
}

TEST_F(Resume, WhatTheDeadlineLeftRunsLater) {
  run({"misbehave.hangs", "misbehave.after_waiting", "--jobs", "1", "--deadline", "1s", "--repeat", "8"});
  ASSERT_EQ(observed("misbehave.after_waiting").detail, "deadline");
  const Finished done = resume({"--jobs", "8"});
  EXPECT_EQ(done.ending.exit, 1) << done.out << done.err;
  EXPECT_EQ(verdict("misbehave.after_waiting"), "as_expected");
}

TEST_F(Resume, DeadlineIsATime) {
  for (const char* word : {"soon", "0s", "-5m", "5 parsecs", "1h30m"})
    EXPECT_THAT(run({"--deadline", word}).err, HasSubstr("a time like 90s, 45m or 2h was expected")) << word;
  EXPECT_EQ(run({"misbehave.passes", "--deadline", "2h"}).ending.exit, 0);
}

TEST_F(Resume, AgainSelectsWhatWasNotAsExpected) {
  run({"misbehave.passes", "misbehave.fails", "misbehave.skips"});
  keep_log_as("first.ndjson");
  run({"--again", folder / "first.ndjson"});
  ASSERT_EQ(log().entries.size(), 1u);
  EXPECT_EQ(log().entries[0].id(), "misbehave.fails");
  run({"misbehave.passes"});
  keep_log_as("good.ndjson");
  EXPECT_THAT(run({"--again", folder / "good.ndjson"}).err, HasSubstr("there is nothing to run again"));
}

/// How many runs are killed; `ci/test --full` asks for 50.
int kills() {
  const char* wanted = getenv("CUDASEM_KILLS");
  return wanted ? atoi(wanted) : 5;
}

class Killed : public Resume {
 protected:
  const std::vector<std::string> cases_ = {"misbehave.passes",
                                           "misbehave.fails",
                                           "misbehave.throws",
                                           "misbehave.corrupts",
                                           "misbehave.skips",
                                           "misbehave.aborts",
                                           "misbehave.hangs",
                                           "misbehave.half_record",
                                           "misbehave.silent",
                                           "misbehave.exits_7",
                                           "misbehave.no_begin",
                                           "misbehave.shares*",
                                           "misbehave.ends_twice",
                                           "misbehave.on_two_gpus",
                                           "misbehave.alone",
                                           "--jobs",
                                           "2"};

  /// Kills the run and up to two that resume it, then lets one end. Returns how often a log was cut short by
  /// that.
  int disturb(std::mt19937_64& random, microseconds whole) {
    const auto a_moment = [&] { return microseconds(random() % static_cast<uint64_t>(whole.count())); };
    fs::remove(log_path());
    run_and_kill(cases_, a_moment());
    int cut = in_the_middle();
    for (int time = 0; time < 2 && goes_on(); ++time) {
      run_and_kill({"--resume", log_path(), "--jobs", "2"}, a_moment());
      cut += in_the_middle();
    }
    const Finished last = goes_on() ? resume({"--jobs", "2"}) : run(cases_);
    EXPECT_EQ(last.ending.exit, 1) << last.out << last.err;
    return cut;
  }
  int in_the_middle() const { return goes_on() && log().finish.is_null() ? 1 : 0; }
  bool goes_on() const { return fs::exists(log_path()) && !log().subject.is_null(); }
};

TEST_F(Killed, RunsGiveTheResultsOfAnUndisturbedOne) {
  const auto start = Clock::now();
  run(cases_);
  const auto whole = std::chrono::duration_cast<microseconds>(Clock::now() - start);
  const auto undisturbed = results();
  ASSERT_GE(undisturbed.size(), 18u);
  int cut = 0;
  for (int round = 0; round < kills(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::mt19937_64 random(static_cast<uint64_t>(round));
    cut += disturb(random, whole);
    EXPECT_EQ(results(), undisturbed);
    expect_nothing_twice();
  }
  EXPECT_GE(cut, kills() / 2) << "hardly a kill came while cases ran: the moments are badly chosen";
  printf("%d runs killed; %d kills came while cases ran\n", kills(), cut);
}

}  // namespace
}  // namespace cudasem
