#include "attempt.h"

#include <gtest/gtest.h>

namespace cudasem {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Runs one case of the misbehaving binary to its end, under the limits given.
Observed run(const std::string& name, Limits limits) {
  SubprocessSet set;
  const std::string id = "misbehave." + name;
  const ProcessSpec spec{
      .argv = {CUDASEM_MISBEHAVE_DIR "/cudasem_misbehave", "--run", id, "--record-fd", "3"},
      .records = true,
      .grace = milliseconds(200)};
  const auto started = Clock::now();
  Attempt attempt({.items = {0}}, {}, set.start(spec), UnitReader({RecordReader(id, "feed")}), {limits},
                  started);
  do {
    set.wait(attempt.deadline());
    attempt.look(Clock::now());
  } while (!attempt.over());
  return attempt.observed();
}

constexpr milliseconds kShort(150), kLong(20'000);
constexpr Limits kAllLong{kLong, kLong, kLong};

TEST(Attempt, HealthyCaseIsOk) {
  EXPECT_EQ(run("passes", kAllLong).outcome, Outcome::ok);
}

TEST(Attempt, ThatNeverBeginsIsEndedByTheStartUpLimit) {
  const Observed observed = run("never_begins", {kShort, kLong, kLong});
  EXPECT_EQ(observed.outcome, Outcome::missing);
  EXPECT_EQ(observed.detail, "no_begin");
}

TEST(Attempt, ThatHangsIsEndedByItsOwnLimit) {
  const Observed observed = run("hangs", {kLong, kShort, kLong});
  EXPECT_EQ(observed.outcome, Outcome::hang);
  EXPECT_EQ(observed.at, "waiting");
  EXPECT_EQ(observed.signal, "SIGTERM");
}

TEST(Attempt, ThatIgnoresSigtermIsKilledAndStillAHang) {
  const Observed observed = run("ignores_sigterm", {kLong, kShort, kLong});
  EXPECT_EQ(observed.outcome, Outcome::hang);
  EXPECT_EQ(observed.signal, "SIGKILL");
}

TEST(Attempt, ThatDoesNotExitIsAHangAtExit) {
  const Observed observed = run("hangs_at_exit", {kLong, kLong, kShort});
  EXPECT_EQ(observed.outcome, Outcome::hang);
  EXPECT_EQ(observed.at, "exit");
}

TEST(Attempt, CrashIsToldFromHang) {
  const Observed observed = run("aborts", kAllLong);
  EXPECT_EQ(observed.outcome, Outcome::crash);
  EXPECT_EQ(observed.signal, "SIGABRT");
  EXPECT_EQ(observed.text, "thrown out of main");
}

TEST(Attempt, FloodDoesNotBlockTheCase) {
  EXPECT_EQ(run("floods_stdout", kAllLong).outcome, Outcome::ok);
  EXPECT_EQ(run("floods_stderr", kAllLong).outcome, Outcome::ok);
}

TEST(Attempt, GrandchildrenDoNotHoldIt) {
  for (const char* name : {"leaves_grandchild", "leaves_stranger"}) {
    const Observed observed = run(name, kAllLong);
    EXPECT_EQ(observed.outcome, Outcome::ok) << name;
    EXPECT_EQ(observed.warnings.size(), 1u) << name;
  }
}

TEST(Attempt, ClosedRecordDescriptorIsSilent) {
  EXPECT_EQ(run("closes_record", kAllLong).detail, "silent");
}

TEST(GpuInDoubt, AfterCrashHangAndStickyErrorsOnly) {
  EXPECT_TRUE(leaves_gpu_in_doubt({.outcome = Outcome::crash}));
  EXPECT_TRUE(leaves_gpu_in_doubt({.outcome = Outcome::hang}));
  EXPECT_TRUE(leaves_gpu_in_doubt({.outcome = Outcome::error, .effects = {{.code = 700}}}));
  EXPECT_TRUE(leaves_gpu_in_doubt({.outcome = Outcome::fail, .effects = {{.code = 900}, {.code = 719}}}));
  EXPECT_FALSE(leaves_gpu_in_doubt({.outcome = Outcome::error, .effects = {{.code = 900}}}));
  EXPECT_FALSE(leaves_gpu_in_doubt({.outcome = Outcome::ok}));
}

}  // namespace
}  // namespace cudasem
