#include "kernel_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_folder.h"

namespace cudasem {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::string kXid =
    "NVRM: Xid (PCI:0000:3b:00): 31, pid=17, name=cudasem_errors, Ch 00000008, MMU Fault";

TEST(xid_line, is_taken_out_of_a_record_of_the_kernel_log) {
  EXPECT_EQ(xid_line("4,1189,1234567,-;" + kXid + "\n SUBSYSTEM=pci\n DEVICE=+pci:0000:3b:00.0\n"), kXid);
  EXPECT_EQ(xid_line("4,1189,1234567,-,caller=T1;[x] " + kXid), kXid);
}

TEST(xid_line, is_nothing_else) {
  for (const char* record : {"", ";", "4,1,2,-;", "4,1,2,-;NVRM: loading", "NVRM: Xid without a head",
                             "6,1,2,-;usb 1-1\n NVRM: Xid x"})
    EXPECT_FALSE(xid_line(record)) << record;
}

/// Stands for /dev/kmsg: a device that gives one record a read, and no end.
struct FakeDevice {
  test::TestFolder folder;
  int writer = -1;
  FakeDevice() {
    mkfifo((folder / "kmsg").c_str(), 0600);
    writer = open((folder / "kmsg").c_str(), O_RDWR);
    fcntl(writer, F_SETPIPE_SZ, 1 << 18);
  }
  ~FakeDevice() { close(writer); }
  /// A pipe keeps no borders between records: each is as long as a read.
  void say(std::string text) const {
    text.resize(8192, '\n');
    ASSERT_EQ(write(writer, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
};

TEST(KernelLog, GivesXidsOnceAndOnlyThose) {
  const FakeDevice device;
  KernelLog log(device.folder / "kmsg");
  ASSERT_TRUE(log.readable());
  EXPECT_THAT(log.new_xids(), IsEmpty());
  device.say("6,1,2,-;usb 1-1: new device");
  device.say("4,2,3,-;" + kXid);
  EXPECT_THAT(log.new_xids(), ElementsAre(kXid));
  EXPECT_THAT(log.new_xids(), IsEmpty());
}

TEST(KernelLog, KeepsTwentyOfAFlood) {
  const FakeDevice device;
  KernelLog log(device.folder / "kmsg");
  for (int i = 0; i < 30; ++i) device.say("4,2,3,-;" + kXid);
  EXPECT_THAT(log.new_xids(), SizeIs(20));
}

TEST(KernelLog, ThatMayNotBeReadHasNoLines) {
  KernelLog log("/nowhere/kmsg");
  EXPECT_FALSE(log.readable());
  EXPECT_THAT(log.new_xids(), IsEmpty());
}

TEST(KernelLog, WhatStoodThereBeforeIsOld) {
  test::TestFolder folder;
  folder.write("kmsg", "4,2,3,-;" + kXid);
  EXPECT_THAT(KernelLog(folder / "kmsg").new_xids(), IsEmpty());
}

}  // namespace
}  // namespace cudasem
