#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace cudasem {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

ProcessSpec shell(const std::string& script) {
  return {.argv = {"/bin/sh", "-c", script}};
}

Finished run(const std::string& script, milliseconds limit = seconds(20)) {
  SubprocessSet set;
  return run_to_end(set, shell(script), limit);
}

TEST(Process, GivesOutputAndExitStatus) {
  const Finished done = run("echo out; echo err >&2; exit 5");
  EXPECT_EQ(done.out, "out\n");
  EXPECT_EQ(done.err, "err\n");
  EXPECT_EQ(done.ending.exit, 5);
  EXPECT_EQ(done.ending.signal, "");
}

TEST(Process, NamesTheSignalThatEndedIt) {
  const Finished done = run("kill -ABRT $$");
  EXPECT_EQ(done.ending.signal, "SIGABRT");
  EXPECT_FALSE(done.ending.exit);
}

TEST(Process, StdinIsEmpty) {
  EXPECT_EQ(run("cat; echo end").out, "end\n");
}

TEST(Process, SetsVariablesOverTheRunnersOwn) {
  setenv("CUDASEM_TEST_A", "old", 1);
  SubprocessSet set;
  ProcessSpec spec = shell("echo $CUDASEM_TEST_A $CUDASEM_TEST_B");
  spec.env = {{"CUDASEM_TEST_A", "new"}, {"CUDASEM_TEST_B", "b"}};
  EXPECT_EQ(run_to_end(set, spec, seconds(20)).out, "new b\n");
}

TEST(Process, ThatCannotBeStartedIsNamed) {
  SubprocessSet set;
  try {
    set.start({.argv = {"/nowhere/cudasem_capture"}});
    FAIL() << "should have thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot start /nowhere/cudasem_capture: No such file"));
  }
}

TEST(Process, RecordsComeThroughTheirOwnDescriptor) {
  SubprocessSet set;
  ProcessSpec spec = shell("echo record >&3; echo out");
  spec.records = true;
  auto child = set.start(spec);
  while (!child->ending()) set.wait(Clock::now() + seconds(20));
  EXPECT_EQ(child->take_records(), "record\n");
  EXPECT_EQ(child->out(), "out\n");
}

TEST(Process, ChildrenDoNotInheritEachOthersPipes) {
  SubprocessSet set;
  const ProcessSpec listing = shell("ls /proc/self/fd");
  const std::string alone = run_to_end(set, listing, seconds(20)).out;
  ProcessSpec other = shell("sleep 60");
  other.records = true;
  auto running = set.start(other);
  EXPECT_EQ(run_to_end(set, listing, seconds(20)).out, alone);
}

TEST(Process, SignalsAreNotBlockedInChildren) {
  const Finished done = run("grep SigBlk /proc/self/status");
  EXPECT_THAT(done.out, HasSubstr("0000000000000000"));
}

TEST(Process, OverItsLimitIsEndedBySigterm) {
  const Finished done = run("while :; do sleep 1; done", milliseconds(100));
  EXPECT_TRUE(done.timed_out);
  EXPECT_EQ(done.ending.signal, "SIGTERM");
}

TEST(Process, ThatIgnoresSigtermIsKilledAfterTheGrace) {
  SubprocessSet set;
  ProcessSpec spec = shell("trap '' TERM; echo ready; while :; do sleep 1; done");
  spec.grace = milliseconds(100);
  auto child = set.start(spec);
  while (child->out().empty()) set.wait(Clock::now() + seconds(20));
  child->stop();
  while (!child->ending()) set.wait(Clock::now() + seconds(20));
  EXPECT_EQ(child->ending()->signal, "SIGKILL");
}

TEST(Process, LeftoversOfItsGroupAreKilledAndReported) {
  const auto start = Clock::now();
  const Finished done = run("sleep 60 & echo $!");
  EXPECT_LT(Clock::now() - start, seconds(20));
  EXPECT_TRUE(done.ending.leftovers);
  EXPECT_EQ(done.ending.exit, 0);
  const pid_t left = std::stoi(done.out);
  for (int i = 0; i < 2000 && kill(left, 0) == 0; ++i) {
    std::ifstream stat("/proc/" + std::to_string(left) + "/stat");  // killed, and perhaps not yet buried
    std::string pid, name, state;
    stat >> pid >> name >> state;
    if (state == "Z") break;
    usleep(1000);
  }
}

TEST(Process, StrangerThatHoldsThePipesDoesNotHoldTheRunner) {
  const auto start = Clock::now();
  const Finished done = run("setsid sleep 30 & exit 0");
  EXPECT_LT(Clock::now() - start, seconds(20));
  EXPECT_TRUE(done.ending.leftovers);
}

TEST(Process, WithoutLeftoversReportsNone) {
  EXPECT_FALSE(run("true").ending.leftovers);
}

TEST(Process, FloodKeepsHeadAndTail) {
  SubprocessSet set;
  ProcessSpec spec = shell("echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last");
  spec.keep = 1000;
  const Finished done = run_to_end(set, spec, seconds(20));
  EXPECT_TRUE(done.out.starts_with("first\nxxx"));
  EXPECT_TRUE(done.out.ends_with("xxx\nlast\n"));
  EXPECT_THAT(done.out, HasSubstr("bytes left out"));
  EXPECT_LT(done.out.size(), 2200u);
}

TEST(Process, SetKillsWhatStillRunsWhenItGoes) {
  pid_t pid = -1;
  {
    SubprocessSet set;
    pid = set.start(shell("sleep 60"))->pid();
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(Process, InterruptEndsRunToEnd) {
  SubprocessSet set;
  kill(getpid(), SIGINT);  // blocked until the set waits
  const Finished done = run_to_end(set, shell("sleep 60"), seconds(20));
  EXPECT_EQ(SubprocessSet::interrupts(), 1);
  EXPECT_EQ(done.ending.signal, "SIGTERM");
  EXPECT_FALSE(done.timed_out);
}

TEST(Process, SeveralRunAtOnceAndKeepTheirOrder) {
  SubprocessSet set;
  const auto done = run_to_end(set, {shell("sleep 0.2; echo slow"), shell("echo quick")}, seconds(20));
  EXPECT_EQ(done[0].out, "slow\n");
  EXPECT_EQ(done[1].out, "quick\n");
}

TEST(CappedText, UnderTheCapIsWhole) {
  CappedText text(4);
  text.append("ab");
  text.append("cdefgh");
  EXPECT_EQ(text.text(), "abcdefgh");
}

TEST(CappedText, OverTheCapSaysHowMuchIsLeftOut) {
  CappedText text(4);
  for (char c = 'a'; c <= 'z'; ++c) text.append(std::string(1, c));
  EXPECT_EQ(text.text(), "abcd\n[… 18 bytes left out …]\nwxyz");
}

}  // namespace
}  // namespace cudasem
