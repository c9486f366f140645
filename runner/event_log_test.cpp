#include "event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "test_folder.h"

namespace cudasem {
namespace {

using test::read_file;
using test::refusal;
using test::TestFolder;
using test::WithEnvironment;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(EventLog, IsThereAfterEachWrite) {
  const TestFolder folder;
  EventLog log(folder / "new/folder/run.ndjson");
  log.write({{"event", "run"}});
  EXPECT_EQ(read_file(log.path()), "{\"event\":\"run\"}\n");
  log.write({{"event", "finish"}});
  EXPECT_EQ(read_file(log.path()), "{\"event\":\"run\"}\n{\"event\":\"finish\"}\n");
}

TEST(EventLog, NeverOverwrites) {
  const TestFolder folder;
  folder.write("run.ndjson", "precious\n");
  EXPECT_THAT(refusal([&] { EventLog log(folder / "run.ndjson"); }), HasSubstr("never overwritten"));
  EXPECT_EQ(read_file(folder / "run.ndjson"), "precious\n");
}

TEST(EventLog, FullDiskIsSaid) {
  EventLog log("/dev/full");
  EXPECT_THAT(refusal([&] {
                log.write({{"event", "run"}});
              }),
              HasSubstr("/dev/full: No space left on device"));
}

TEST(EventLog, FolderThatCannotBeWrittenIsSaid) {
  EXPECT_THAT(refusal([] { EventLog log("/proc/nowhere/run.ndjson"); }), HasSubstr("--out"));
}

TEST(EventLog, InvalidUtf8IsReplaced) {
  const TestFolder folder;
  EventLog log(folder / "run.ndjson");
  log.write({{"text",
              "a\xff"
              "b"}});
  EXPECT_EQ(nlohmann::json::parse(read_file(log.path()))["text"],
            "a\xEF\xBF\xBD"
            "b");
}

TEST(Scrubber, HidesFoldersLongestFirst) {
  Scrubber scrub;
  scrub.hide("/data/src", "");
  scrub.hide("/data/src/build", "<build>");
  EXPECT_EQ(scrub.text("in /data/src/cases/x.cpp:3 and /data/src/build/bin, at /data/src."),
            "in cases/x.cpp:3 and <build>/bin, at ..");
}

TEST(Scrubber, LeavesFoldersAloneThatOnlyBeginAlike) {
  Scrubber scrub;
  scrub.hide("/data/src", "<src>");
  EXPECT_EQ(scrub.text("/data/src2/x /data/src-old"), "/data/src2/x /data/src-old");
}

TEST(Scrubber, NeverHidesTheRoot) {
  Scrubber scrub;
  scrub.hide("/", "<root>");
  scrub.hide("", "<nothing>");
  EXPECT_EQ(scrub.text("/usr/lib"), "/usr/lib");
}

TEST(Scrubber, HidesHomeAndWordsThatStandAlone) {
  const WithEnvironment home{{"HOME", "/homes/anna"}};
  Scrubber scrub;
  scrub.hide_word("anna", "<user>");
  EXPECT_EQ(scrub.text("/homes/anna/x, /scratch/anna/y, savanna"), "<home>/x, /scratch/<user>/y, savanna");
}

TEST(Scrubber, GoesIntoJsonButNotIntoKeys) {
  Scrubber scrub;
  scrub.hide("/data", "<data>");
  const nlohmann::json scrubbed = scrub(nlohmann::json{{"/data/key", {"/data/x", 3, nullptr}}});
  EXPECT_EQ(scrubbed, (nlohmann::json{{"/data/key", {"<data>/x", 3, nullptr}}}));
}

TEST(Scrubber, ReducesAbsolutePathsOfACommandLine) {
  const Scrubber scrub;
  EXPECT_THAT(scrub.argv({"/opt/bin/cudasem", "run", "--out", "/data/x/log.ndjson", "--cases=/a/b",
                          "capture.*/wrong", "../../elsewhere/c", "/data/logs/", "out/log"}),
              ElementsAre("cudasem", "run", "--out", "log.ndjson", "--cases=b", "capture.*/wrong", "c",
                          "logs", "out/log"));
}

TEST(Environment, OnlyWhatMattersIsKept) {
  const WithEnvironment set({{"CUDA_LAUNCH_BLOCKING", "1"},
                             {"CUDASEM_MUTATED", "1"},
                             {"TORCH_SHOW_CPP_STACKTRACES", "1"},
                             {"SECRET", "x"}});
  const auto kept = environment_that_matters();
  EXPECT_EQ(kept.value("CUDA_LAUNCH_BLOCKING", ""), "1");
  EXPECT_EQ(kept.value("CUDASEM_MUTATED", ""), "1");
  EXPECT_EQ(kept.value("TORCH_SHOW_CPP_STACKTRACES", ""), "1");
  EXPECT_FALSE(kept.contains("SECRET"));
}

}  // namespace
}  // namespace cudasem
