#include "surroundings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "test_folder.h"

namespace cudasem {
namespace {

using test::TestFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

auto finding(Finding::Level level, const std::string& part) {
  return AllOf(Field(&Finding::level, level), Field(&Finding::text, HasSubstr(part)));
}

TEST(Surroundings, LittleFreeGpuMemoryAndMigAreToldWithWhatToDo) {
  EXPECT_THAT(gpu_memory("0, 140000, 143771, Disabled\n1, 512, 143771, Enabled\n2, [N/A], [N/A], [N/A]\n"),
              ElementsAre(finding(Finding::good, "140000 of 143771 MiB are free"),
                          finding(Finding::absent, "nvidia-smi -mig 0"),
                          finding(Finding::absent, "less than 4096 MiB")));
}

TEST(Surroundings, OtherProcessesOnTheGpuAreNamed) {
  EXPECT_THAT(gpu_processes("4711, /opt/train/python, 8000\n"),
              ElementsAre(finding(Finding::absent, "process 4711 (python, 8000 MiB)")));
  EXPECT_THAT(gpu_processes(""), ElementsAre(finding(Finding::good, "no other process")));
}

TEST(Surroundings, WithoutNvidiaSmiWhoHoldsTheDeviceIsRead) {
  TestFolder proc;
  proc.write("self/x", "");
  proc.write("4711/fd/x", "");
  proc.write("4712/fd/x", "");
  std::filesystem::create_symlink("/dev/nvidia0", proc / "4711/fd/7");
  std::filesystem::create_symlink("/dev/nvidiactl", proc / "4712/fd/7");
  EXPECT_THAT(device_holders(proc.path()), ElementsAre(finding(Finding::absent, "process 4711 holds")));
}

TEST(Surroundings, DiskIsEnoughLittleOrTooLittle) {
  EXPECT_THAT(disk_finding("out", uintmax_t{5} << 30), finding(Finding::good, "5120 MiB are free"));
  EXPECT_THAT(disk_finding("out", 500 << 20), finding(Finding::absent, "--out"));
  EXPECT_THAT(disk_finding("out", 1 << 20), finding(Finding::broken, "no run can be kept"));
}

TEST(Surroundings, AFolderThatIsNotThereYetHasTheRoomOfItsParent) {
  TestFolder folder;
  EXPECT_NE(disk(folder / "a/b/c").level, Finding::broken);
}

TEST(Surroundings, ToolsAreLookedForOnThePath) {
  TestFolder folder;
  folder.write("bin/gdb", "");
  chmod((folder / "bin/gdb").c_str(), 0755);
  EXPECT_THAT(tools("/nowhere:" + (folder / "bin").string()),
              ElementsAre(finding(Finding::good, "bin/gdb"), finding(Finding::absent, "elfutils"),
                          finding(Finding::absent, "CUDA toolkit")));
}

}  // namespace
}  // namespace cudasem
