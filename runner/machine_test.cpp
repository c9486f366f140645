#include "machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_folder.h"

namespace cudasem {
namespace {

using std::chrono::milliseconds;
namespace fs = std::filesystem;
using test::MisbehaveFolder;
using test::TestFolder;
using test::WithEnvironment;
using testing::HasSubstr;

Machine ask(const MisbehaveFolder& folder) {
  SubprocessSet set;
  return probe(set, read_subject(folder.path()));
}

TEST(Machine, WithoutGpuSaysWhy) {
  const MisbehaveFolder folder;
  const Machine machine = ask(folder);
  EXPECT_TRUE(machine.gpus.empty());
  EXPECT_EQ(machine.error, "no CUDA-capable device is detected");
  EXPECT_GT(machine.probe_ms, 0);
}

TEST(Machine, KnowsItsGpusAndDriver) {
  const MisbehaveFolder folder;
  const WithEnvironment gpus{{"MISBEHAVE_GPUS", "2"}};
  const Machine machine = ask(folder);
  ASSERT_EQ(machine.gpus.size(), 2u);
  EXPECT_EQ(machine.gpus[1].index, 1);
  EXPECT_EQ(machine.gpus[1].name, "Imaginary 1");
  EXPECT_EQ(machine.driver, "580.159.03");
  EXPECT_EQ(machine.usable_gpus(), 2);
}

TEST(Machine, UnhealthyGpuIsNotUsable) {
  const MisbehaveFolder folder;
  folder.write("sick", "");
  const WithEnvironment gpus{{"MISBEHAVE_GPUS", "2"}, {"MISBEHAVE_SICK", folder / "sick"}};
  EXPECT_EQ(ask(folder).usable_gpus(), 1);
}

TEST(Machine, ProbeThatCrashesIsNoGpuAndSaysSo) {
  const MisbehaveFolder folder;
  const WithEnvironment mode{{"MISBEHAVE_PROBE", "crash"}};
  const Machine machine = ask(folder);
  EXPECT_TRUE(machine.gpus.empty());
  EXPECT_FALSE(machine.answered);
  EXPECT_THAT(machine.error, HasSubstr("the probe died of SIGABRT"));
}

TEST(Machine, ProbeThatHangsIsNoGpuAndSaysSo) {
  EXPECT_THAT(read_probe({.ending = {.signal = "SIGTERM"}, .timed_out = true}).error,
              HasSubstr("within 120 s"));
}

TEST(Machine, AnswerThatCannotBeReadIsShown) {
  Finished answer;
  answer.ending.exit = 0;
  answer.out = "{\"gpus\": 3}";
  EXPECT_THAT(read_probe(answer).error, HasSubstr(answer.out));
}

TEST(Machine, StartUpLimitGrowsWithTheProbeAndIsNeverUnderAMinute) {
  EXPECT_EQ(start_up_limit({.probe_ms = 650}), milliseconds(60'000));
  EXPECT_EQ(start_up_limit({.probe_ms = 10'000}), milliseconds(200'000));
}

TEST(Machine, WithoutAnyBinaryThereIsNobodyToAsk) {
  EXPECT_THROW(probe_spec(BuiltFor{.folder = "/nowhere", .areas = {"capture"}}), std::runtime_error);
}

TEST(NvidiaDevice, IsPresentIfTheKernelDriverListsOne) {
  const TestFolder root;
  EXPECT_FALSE(nvidia_device_present(root.path()));
  fs::create_directories(root / "proc/driver/nvidia/gpus");
  EXPECT_FALSE(nvidia_device_present(root.path()));
  fs::create_directories(root / "proc/driver/nvidia/gpus/0000:00:04.0");
  EXPECT_TRUE(nvidia_device_present(root.path()));
}

TEST(NvidiaDevice, IsPresentIfItsControlDeviceIs) {
  const TestFolder root;
  root.write("dev/nvidiactl", "");
  EXPECT_TRUE(nvidia_device_present(root.path()));
}

}  // namespace
}  // namespace cudasem
