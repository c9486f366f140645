#include "unit_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudasem {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kHello = R"({"record":"hello","protocol":1,"built_for":"2.14.1"})"
                           "\n";
std::string begin(const std::string& id) {
  return R"({"record":"begin","case":")" + id + R"(","hash":"feed"})" + "\n";
}
std::string end(const std::string& id) {
  return R"({"record":"end","case":")" + id + "\"}\n";
}

UnitReader two() {
  return UnitReader({RecordReader("a.x", "feed"), RecordReader("a.y", "feed")});
}

const Ending kExit0{.exit = 0}, kKilled{.signal = "SIGKILL"};

TEST(UnitReader, EachCaseHasItsOwnRecords) {
  UnitReader reader = two();
  const std::string fact = R"({"record":"fact","key":"n","value":1})"
                           "\n";
  const std::string stream = kHello + begin("a.x") + fact + end("a.x") + begin("a.y") + end("a.y");
  for (char byte : stream) reader.feed({&byte, 1});
  EXPECT_EQ(reader.begun(), 2u);
  EXPECT_EQ(reader.ended(), 2u);
  const Observed first = reader.observed_before_next(0), second = reader.finish(kExit0, false, "");
  EXPECT_EQ(first.outcome, Outcome::ok);
  EXPECT_EQ(first.facts.at("n"), 1);
  EXPECT_EQ(second.outcome, Outcome::ok);
  EXPECT_THAT(second.facts, IsEmpty());
}

TEST(UnitReader, CrashIsThatOfTheCaseWhichHadBegun) {
  UnitReader reader = two();
  reader.feed(kHello + begin("a.x") + end("a.x") + begin("a.y"));
  EXPECT_EQ(reader.observed_before_next(0).outcome, Outcome::ok);
  EXPECT_EQ(reader.finish(kKilled, false, "").outcome, Outcome::crash);
}

TEST(UnitReader, DirtBelongsToTheCaseBeforeIt) {
  UnitReader reader = two();
  reader.feed(kHello + begin("a.x") + end("a.x") +
              R"({"record":"dirt","case":"a.x","what":"a capture goes on"})" + "\n{\"record\":\"bye\"}\n");
  EXPECT_THAT(reader.dirt(0), ElementsAre("a capture goes on"));
  EXPECT_EQ(reader.begun(), 1u);
  EXPECT_EQ(reader.finish(kExit0, false, "").outcome, Outcome::ok);
}

TEST(UnitReader, HalfALineIsAViolation) {
  UnitReader reader = two();
  reader.feed(kHello + begin("a.x") + end("a.x") + begin("a.y") + "{\"record\":\"e");
  EXPECT_EQ(reader.finish(kExit0, false, "").detail, "protocol");
}

TEST(UnitReader, WrongOrderIsAViolation) {
  UnitReader reader = two();
  reader.feed(kHello + begin("a.y"));
  EXPECT_EQ(reader.finish(kExit0, false, "").detail, "protocol");
}

}  // namespace
}  // namespace cudasem
