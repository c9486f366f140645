// The program end to end, over the misbehaving binary: exit statuses, logs, interrupts, lost GPUs.
#include "run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "log_reader.h"
#include "process.h"
#include "run_program.h"
#include "shell_word.h"
#include "test_folder.h"

namespace cudasem {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using test::read_file;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using test::Environment;
using test::RunProgram;

/// Waits until `text` is in the file; a case or a note there is what the test goes on.
void await(SubprocessSet& set, const Subprocess& program, const fs::path& file, const std::string& text) {
  for (int i = 0; i < 20'000 && !program.ending(); ++i) {
    if (read_file(file).find(text) != std::string::npos) return;
    set.wait(Clock::now() + std::chrono::milliseconds(1));
  }
  FAIL() << "never saw " << text << "\n" << program.out() << program.err();
}
void await_output(SubprocessSet& set, const Subprocess& program, const std::string& text) {
  while (!program.ending() && program.out().find(text) == std::string::npos)
    set.wait(Clock::now() + seconds(10));
}

TEST_F(RunProgram, ExitsWith0IfAllIsAsExpected) {
  const Finished done = run({"misbehave.passes"});
  EXPECT_EQ(done.ending.exit, 0) << done.out << done.err;
  EXPECT_THAT(done.out, HasSubstr("1 as expected in "));
  EXPECT_EQ(observed("misbehave.passes").outcome, Outcome::ok);
  EXPECT_EQ(log().finish.at("exit"), 0);
}

TEST_F(RunProgram, WhatIsWaivedDoesNotMakeTheExitStatus1UntilItExpires) {
  const auto waive = [&](const std::string& day) {
    folder.write("waivers.toml",
                 "[[waiver]]\ncase = 'misbehave.throws'\noutcome = 'error'\nowner = 'graphs'\nlink = "
                 "'https://l/1'\nexpires = " +
                     day + "\n");
    return run({"misbehave.passes", "misbehave.throws", "--waivers", folder / "waivers.toml"});
  };
  const Finished waived = waive("2999-01-31");
  EXPECT_EQ(waived.ending.exit, 0) << waived.out << waived.err;
  EXPECT_THAT(waived.out, HasSubstr("1 as expected, 1 waived in "));
  EXPECT_EQ(verdict("misbehave.throws"), "regression");
  EXPECT_EQ(log().finish.at("counts"), nlohmann::json({{"as_expected", 1}, {"waived", 1}}));
  const Finished expired = waive("2026-01-31");
  EXPECT_EQ(expired.ending.exit, 1);
  EXPECT_THAT(expired.out,
              HasSubstr("expired waiver: misbehave.throws (error) was waived until 2026-01-31 and "
                        "counts again: graphs, https://l/1"));
  folder.write("waivers.toml", "[[waiver]]\ncase = 'misbehave.throws'\n");
  EXPECT_EQ(run({"misbehave.passes", "--waivers", folder / "waivers.toml"}).ending.exit, 2);
}

TEST_F(RunProgram, ATeamsExpectationsStandBesideTheSuites) {
  folder.write("team/misbehave.toml",
               "[[expect]]\ncase = 'misbehave.throws'\noutcome = 'error'\nat = 'body'\ntype = '.'\ntext = "
               "'.'\nwhy = 'w'\nlink = 'https://l'\nbug = true\nreview_by = 2999-01-01\n");
  const auto both = (folder / "expected").string() + ":" + (folder / "team").string();
  const Finished done = cudasem({"run", "misbehave.throws", "--expected", both, "--floor-from",
                                 folder / "recorded", "--out", log_path()});
  EXPECT_THAT(done.out, Not(HasSubstr("no expectations in")));
  ASSERT_EQ(events("plan").size(), 1u) << done.out << done.err;
  EXPECT_EQ(events("plan").at(0).at("expectation").at("where"), "team/misbehave.toml:1");
}

TEST_F(RunProgram, ExitsWith1IfSomethingIsNotAndSaysHowToSeeItAgain) {
  const Finished done = run({"misbehave.passes", "misbehave.throws"});
  EXPECT_EQ(done.ending.exit, 1);
  EXPECT_THAT(done.out, AllOf(HasSubstr("cudasem run 'misbehave.throws'"),
                              HasSubstr("cudasem_misbehave --gtest_filter='misbehave.throws'"),
                              Not(HasSubstr("cudasem run 'misbehave.passes'"))));
}

TEST_F(RunProgram, ExitsWith0IfAMisuseDoesWhatIsExpectedOfIt) {
  expect(R"(
[[expect]]
case = "misbehave.misused/wrong"
outcome = "error"
at = "replay"
code = 700
why = "because"
link = "https://example.org/"
)");
  const Finished done = run({"misbehave.misused"}, {{"MISBEHAVE_GPUS", "1"}});
  EXPECT_EQ(done.ending.exit, 0) << done.out << done.err;
  EXPECT_THAT(done.out, HasSubstr("2 as expected"));
}

TEST_F(RunProgram, EveryMisbehaviourHasItsOutcome) {
  const Finished done = run({"--jobs", "4"});
  EXPECT_EQ(done.ending.exit, 1) << done.out << done.err;
  auto seen = [&](const std::string& name) {
    const Observed o = observed("misbehave." + name);
    return std::string(cudasem::name(o.outcome)) + "|" + o.detail + "|" + o.at + "|" + o.signal;
  };
  EXPECT_EQ(seen("passes"), "ok|||");
  EXPECT_EQ(seen("fails"), "fail||cases/x.cpp:14|");
  EXPECT_EQ(seen("fails_setup"), "fail|setup|cases/x.cpp:15|");
  EXPECT_EQ(seen("throws"), "error||item|");
  EXPECT_EQ(seen("corrupts"), "corrupt||second|");
  EXPECT_EQ(seen("skips"), "skip|unsupported||");
  EXPECT_EQ(seen("crashes"), "crash||before|SIGSEGV");
  EXPECT_EQ(seen("aborts"), "crash||before|SIGABRT");
  EXPECT_EQ(seen("hangs"), "hang||waiting|SIGTERM");
  EXPECT_EQ(seen("ignores_sigterm"), "hang|||SIGKILL");
  EXPECT_EQ(seen("hangs_at_exit"), "hang||exit|SIGTERM");
  EXPECT_EQ(seen("floods_stdout"), "ok|||");
  EXPECT_EQ(seen("half_record"), "missing|protocol||");
  EXPECT_EQ(seen("garbage"), "missing|protocol||");
  EXPECT_EQ(seen("long_line"), "missing|protocol||");
  EXPECT_EQ(seen("ends_twice"), "missing|protocol||");
  EXPECT_EQ(seen("begins_another"), "missing|protocol||");
  EXPECT_EQ(seen("silent"), "missing|silent||");
  EXPECT_EQ(seen("no_begin"), "missing|no_begin||");
  EXPECT_EQ(seen("dies_after_end"), "crash||exit|SIGABRT");
  EXPECT_EQ(seen("exits_7"), "crash|||");
  EXPECT_EQ(seen("closes_record"), "missing|silent||");
  EXPECT_EQ(seen("leaves_grandchild"), "ok|||");
  EXPECT_EQ(seen("leaves_stranger"), "ok|||");
  EXPECT_EQ(seen("needs_feature"), "skip|unsupported||");
  EXPECT_EQ(seen("on_two_gpus"), "skip|unsupported||");

  // The floor: what a recorded run executed must not vanish.
  fs::rename(log_path(), folder / "recorded/full.ndjson");
  const Finished few = run({}, {{"MISBEHAVE_LIST", "few"}});
  EXPECT_EQ(few.ending.exit, 2);
  EXPECT_THAT(few.out, HasSubstr("full.ndjson executed were expected"));
  EXPECT_EQ(run({"misbehave.passes"}).ending.exit, 0) << "a selection has no floor";
}

TEST_F(RunProgram, PlansEverythingBeforeItBegins) {
  run({"misbehave.passes", "misbehave.fails", "--jobs", "1"});
  std::vector<std::string> words;
  for (const auto& event : log().events) words.push_back(event.at("event"));
  EXPECT_THAT(words, ElementsAre("run", "machine", "subject", "plan", "plan", "begin", "end", "verdict",
                                 "begin", "end", "verdict", "finish"));
}

TEST_F(RunProgram, LogHasNoPathsOfThisMachine) {
  run({"misbehave.host_path"}, {{"MISBEHAVE_PATH", folder / "build/x"}});
  const std::string text = read_file(log_path());
  EXPECT_THAT(text, AllOf(Not(HasSubstr(folder.path().string())), HasSubstr("cannot open <cases>/build/x")));
}

TEST_F(RunProgram, EmptySelectionIsNeverGreen) {
  const Finished done = run({"misbehave.no_such_case"});
  EXPECT_EQ(done.ending.exit, 2);
  EXPECT_THAT(done.err, HasSubstr("no case matches"));
}

TEST_F(RunProgram, AllUnsupportedIs2AndWithCtest77) {
  EXPECT_EQ(run({"misbehave.on_two_gpus"}).ending.exit, 2);
  const Finished done = run({"misbehave.on_two_gpus", "misbehave.on_gpu", "--ctest"});
  EXPECT_EQ(done.ending.exit, 77);
  EXPECT_THAT(done.out, HasSubstr("2 of 2 cases are skipped, unsupported here"));
}

TEST_F(RunProgram, WithoutGpuHostCasesRunAndTheRestIsSkippedUnderOneBanner) {
  const Finished done = run({"misbehave.passes", "misbehave.on_gpu*"});
  EXPECT_EQ(done.ending.exit, 0);
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("2 of 3 cases are skipped"), Not(HasSubstr("skipped  misbehave.on_gpu"))));
}

TEST_F(RunProgram, RequirementThatDoesNotHoldIs2) {
  const Finished done = run({"misbehave.passes", "--require", "gpus>=1"});
  EXPECT_EQ(done.ending.exit, 2);
  EXPECT_THAT(done.err, HasSubstr("gpus>=1 is required; found 0 GPUs"));
  EXPECT_EQ(run({"misbehave.passes", "--require", "gpus>=1"}, {{"MISBEHAVE_GPUS", "1"}}).ending.exit, 0);
}

TEST_F(RunProgram, ProbeThatDoesNotAnswerIs2) {
  const Finished done = run({"misbehave.passes"}, {{"MISBEHAVE_PROBE", "crash"}});
  EXPECT_EQ(done.ending.exit, 2);
  EXPECT_THAT(done.err, HasSubstr("the probe died of SIGABRT"));
}

TEST_F(RunProgram, BadExpectationsAre2) {
  expect("[[expect]]\ncase = 3\n");
  const Finished done = run({"misbehave.passes"});
  EXPECT_EQ(done.ending.exit, 2);
  EXPECT_THAT(done.out + done.err, HasSubstr("expected/misbehave.toml:"));
}

TEST_F(RunProgram, EntryForAnUnknownCaseIs2WithFileAndLine) {
  expect("[[expect]]\ncase = 'misbehave.unheard_of'\noutcome = 'ok'\n");
  const Finished done = run({"misbehave.passes"});
  EXPECT_EQ(done.ending.exit, 2);
  EXPECT_THAT(done.out + done.err, AllOf(HasSubstr("expected/misbehave.toml:1"),
                                         HasSubstr("there is no case misbehave.unheard_of")));
}

TEST_F(RunProgram, AreaThatDidNotCompileIsMissing) {
  folder.subject["areas"] = {"misbehave", "streams"};
  folder.save();
  EXPECT_EQ(run({"misbehave.passes", "streams.*"}).ending.exit, 1);
  EXPECT_EQ(observed("streams.*").detail, "uncompiled");
}

TEST_F(RunProgram, UsageErrorsAre64) {
  EXPECT_EQ(cudasem({}).ending.exit, 64);
  EXPECT_EQ(cudasem({"frobnicate"}).ending.exit, 64);
  EXPECT_EQ(cudasem({"run", "--way", "sideways"}).ending.exit, 64);
  EXPECT_EQ(cudasem({"run", "--shard", "3/2"}).ending.exit, 64);
}

TEST_F(RunProgram, HelpAndVersionAre0) {
  EXPECT_EQ(cudasem({"--help"}).ending.exit, 0);
  EXPECT_EQ(cudasem({"run", "--help"}).ending.exit, 0);
  EXPECT_THAT(cudasem({"--version"}).out, HasSubstr("cudasem 0."));
}

TEST_F(RunProgram, FullDiskEndsTheRunWith2) {
  const Finished done = run({"misbehave.passes", "--out", "/dev/full"});
  EXPECT_EQ(done.ending.exit, 2);
  EXPECT_THAT(done.err, HasSubstr("No space left on device"));
}

TEST_F(RunProgram, LogThatMayNotGrowEndsTheRunWith2) {
  SubprocessSet set;
  ProcessSpec spec = run_spec({"misbehave.passes"});
  std::string line;
  for (const auto& word : spec.argv) line += shell_word(word) + " ";
  spec.argv = {"/bin/sh", "-c", "ulimit -f 1; exec " + line};
  const Finished done = run_to_end(set, spec, seconds(60));
  EXPECT_EQ(done.ending.exit, 2) << done.ending.signal;
  EXPECT_THAT(done.err, AllOf(HasSubstr("cannot write the event log"), HasSubstr("File too large")));
}

TEST_F(RunProgram, FolderThatCannotBeMadeOrWrittenIs2) {
  folder.write("file", "");
  const Finished done = run({"misbehave.passes", "--out", folder / "file/run.ndjson"});
  EXPECT_EQ(done.ending.exit, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("cannot write the event log"), HasSubstr("Not a directory"),
                              HasSubstr("--out")));
  EXPECT_EQ(read_file(folder / "file"), "");
}

TEST_F(RunProgram, TerminalThatGoesAwayIsNotTheEndOfTheRun) {
  SubprocessSet set;
  std::string line;
  for (const auto& word : run_spec({"misbehave.passes", "misbehave.fails", "misbehave.skips"}).argv)
    line += shell_word(word) + " ";
  run_to_end(set, {.argv = {"/bin/bash", "-c", line + "| true"}}, seconds(60));
  EXPECT_EQ(log().finish.at("exit"), 1);
}

TEST_F(RunProgram, InterruptedWhileListingBlamesNoBinary) {
  SubprocessSet set;
  auto program = set.start(run_spec({}, {{"MISBEHAVE_LIST", "slow"}, {"MISBEHAVE_RUNS", folder / "runs"}}));
  await(set, *program, folder / "runs", "--list");
  ::kill(program->pid(), SIGINT);
  while (!program->ending()) set.wait(Clock::now() + seconds(10));
  EXPECT_EQ(program->ending()->exit, 2);
  EXPECT_EQ(program->err(), "cudasem: interrupted while the cases were listed\n");
}

TEST_F(RunProgram, LineThatSeesItAgainWorksInAShell) {
  const Finished done = run({"misbehave.throws"});
  const auto at = done.out.find("again     cudasem ") + strlen("again     cudasem ");
  const std::string again = done.out.substr(at, done.out.find('\n', at) - at);
  EXPECT_THAT(again, HasSubstr("--expected " + (folder / "expected").string()));
  SubprocessSet set;
  const Finished seen = run_to_end(
      set, {.argv = {"/bin/sh", "-c", CUDASEM_PROGRAM " " + again + " --out /dev/null"}}, seconds(60));
  EXPECT_EQ(seen.ending.exit, 1) << seen.err;
}

TEST_F(RunProgram, DriverOfAnyVersionIsNotThereWithoutAGpu) {
  for (const char* requirement : {"driver>=0", "cc>=0"})
    EXPECT_EQ(run({"misbehave.passes", "--require", requirement}).ending.exit, 2);
}

TEST_F(RunProgram, ExistingLogIsRefused) {
  folder.write("run.ndjson", "precious");
  SubprocessSet set;
  EXPECT_EQ(run_to_end(set, run_spec({"misbehave.passes"}), seconds(60)).ending.exit, 2);
  EXPECT_EQ(read_file(log_path()), "precious");
}

TEST_F(RunProgram, FolderForOutTakesOneLogARun) {
  run({"misbehave.passes", "--out", folder / "logs/"});
  run({"misbehave.passes", "--out", folder / "logs/"});
  EXPECT_EQ(find_logs(folder / "logs").size(), 2u);
}

TEST_F(RunProgram, SickGpuIsQuarantinedAndWhatWasPlannedForItIsDeviceLost) {
  const Finished done = run({"misbehave.poisons", "misbehave.on_gpu_later", "misbehave.passes"},
                            {{"MISBEHAVE_GPUS", "1"}, {"MISBEHAVE_SICK", folder / "sick"}});
  EXPECT_EQ(done.ending.exit, 2) << done.out;
  EXPECT_EQ(observed("misbehave.poisons").outcome, Outcome::crash);
  EXPECT_EQ(observed("misbehave.on_gpu_later").detail, "device_lost");
  EXPECT_EQ(observed("misbehave.passes").outcome, Outcome::ok);
  ASSERT_EQ(events("gpu").size(), 1u);
  EXPECT_EQ(events("gpu")[0].at("state"), "quarantined");
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("GPU 0 is quarantined: crash after misbehave.poisons"),
                    HasSubstr("1 cases are missing"), Not(HasSubstr("missing  misbehave.on_gpu_later"))));
}

TEST_F(RunProgram, GpuThatIsWellAfterAStickyErrorGoesOn) {
  run({"misbehave.misused", "misbehave.on_gpu"}, {{"MISBEHAVE_GPUS", "1"}});
  ASSERT_EQ(events("gpu").size(), 1u);
  EXPECT_EQ(events("gpu")[0].at("state"), "well");
  EXPECT_EQ(observed("misbehave.on_gpu").outcome, Outcome::ok);
}

TEST_F(RunProgram, OnTwoGpusACaseSeesThoseItAskedFor) {
  const Environment env{
      {"MISBEHAVE_GPUS", "2"}, {"MISBEHAVE_RUNS", folder / "runs"}, {"CUDA_VISIBLE_DEVICES", "5,7"}};
  run({"misbehave.on_two_gpus", "misbehave.on_gpu", "misbehave.passes", "--jobs", "1"}, env);
  EXPECT_EQ(read_file(folder / "runs"),
            "misbehave.passes [5,7]\nmisbehave.on_gpu [5]\nmisbehave.on_two_gpus [5,7]\n");
}

TEST_F(RunProgram, ExclusiveCasesRunLast) {
  run({"misbehave.alone", "misbehave.passes", "misbehave.host_path", "--jobs", "4"},
      {{"MISBEHAVE_RUNS", folder / "runs"}});
  EXPECT_TRUE(read_file(folder / "runs").ends_with("misbehave.alone []\n"));
}

TEST_F(RunProgram, KilledRunLeavesALogThatLoads) {
  SubprocessSet set;
  auto program = set.start(run_spec({"misbehave.passes", "misbehave.waits_for_file", "--jobs", "1"},
                                    {{"MISBEHAVE_GO", folder / "never"}}));
  await(set, *program, log_path(),
        "\"event\":\"begin\",\"gpu\":null,\"how\":\"first\",\"key\":\"misbehave.waits_for_file");
  ::kill(program->pid(), SIGKILL);
  while (!program->ending()) set.wait(Clock::now() + seconds(10));
  EXPECT_TRUE(log().finish.is_null());
  EXPECT_EQ(observed("misbehave.passes").outcome, Outcome::ok);
  EXPECT_THAT(log().entries.at(1).attempts, IsEmpty());
}

TEST_F(RunProgram, InterruptedOnceFinishesWhatRuns) {
  SubprocessSet set;
  auto program = set.start(run_spec({"misbehave.waits_for_file", "misbehave.after_waiting", "--jobs", "1"},
                                    {{"MISBEHAVE_GO", folder / "go"}}));
  await(set, *program, log_path(), "\"event\":\"begin\"");
  ::kill(program->pid(), SIGINT);
  await_output(set, *program, "interrupted");
  folder.write("go", "");
  while (!program->ending()) set.wait(Clock::now() + seconds(10));
  EXPECT_EQ(program->ending()->exit, 2);
  EXPECT_EQ(observed("misbehave.waits_for_file").outcome, Outcome::ok);
  EXPECT_THAT(log().entries.at(1).attempts, IsEmpty());
  EXPECT_EQ(log().finish.at("exit"), 2);
}

TEST_F(RunProgram, InterruptedTwiceEndsAtOnceWithItsFinish) {
  SubprocessSet set;
  auto program = set.start(run_spec({"misbehave.waits_for_file"}, {{"MISBEHAVE_GO", folder / "never"}}));
  await(set, *program, log_path(), "\"event\":\"begin\"");
  ::kill(program->pid(), SIGINT);
  await_output(set, *program, "interrupted");
  const auto second = Clock::now();
  ::kill(program->pid(), SIGINT);
  while (!program->ending()) set.wait(Clock::now() + seconds(10));
  EXPECT_LT(Clock::now() - second, seconds(20));
  EXPECT_EQ(program->ending()->exit, 2);
  EXPECT_EQ(log().finish.at("exit"), 2);
  EXPECT_THAT(log().entries.at(0).attempts, IsEmpty());
}

TEST_F(RunProgram, ListsCasesAsTableIdsAndJson) {
  EXPECT_THAT(cudasem({"list", "misbehave.misused"}).out,
              HasSubstr("misbehave.misused/right  misuse   one body, two ways"));
  EXPECT_EQ(cudasem({"list", "--ids", "misbehave.misused"}).out,
            "misbehave.misused/wrong\nmisbehave.misused/right\n");
  const auto json = nlohmann::json::parse(cudasem({"list", "--json", "misbehave.misused"}).out);
  EXPECT_EQ(json.at(0).at("id"), "misbehave.misused/wrong");
  EXPECT_EQ(cudasem({"list", "no.such"}).ending.exit, 2);
}

TEST_F(RunProgram, ShowsACaseWithItsSourceAndExpectations) {
  const Finished done = cudasem({"show", "misbehave.misused"});
  EXPECT_EQ(done.ending.exit, 0) << done.err;
  EXPECT_THAT(done.out,
              AllOf(HasSubstr("one body, two ways"), HasSubstr("CASE(misbehave, misused) {}"),
                    HasSubstr("nothing is written down: it cannot pass"), HasSubstr("ok (no entry)")));
  EXPECT_EQ(cudasem({"show", "misbehave.unheard_of"}).ending.exit, 2);
}

TEST_F(RunProgram, DoctorSaysWhatIsThereAndWhatToDo) {
  const Finished done = cudasem({"doctor", "--expected", folder / "expected"});
  EXPECT_EQ(done.ending.exit, 0) << done.out;
  EXPECT_THAT(done.out, AllOf(HasSubstr("1 of 1 areas"), HasSubstr("no CUDA-capable device is detected")));
  const Finished nothing = cudasem({"doctor", "--cases", "/nowhere"});
  EXPECT_EQ(nothing.ending.exit, 2);
  EXPECT_THAT(nothing.out, HasSubstr("ci/setup"));
}

TEST_F(RunProgram, JudgedAgainIsANewLog) {
  run({"misbehave.throws"});
  const Finished done =
      cudasem({"judge", log_path(), "--out", folder / "again.ndjson", "--expected", folder / "expected"});
  EXPECT_EQ(done.ending.exit, 1) << done.out << done.err;
  EXPECT_EQ(read_log(folder / "again.ndjson").entries.size(), 1u);
}

}  // namespace
}  // namespace cudasem
