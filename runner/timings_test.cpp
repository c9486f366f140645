#include "timings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudasem {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

Log log_of(const std::string& torch, const std::string& utc, double ms) {
  Log log;
  log.run = {{"utc", utc}};
  log.subject = {{"torch", torch}};
  LogEntry entry;
  entry.key = "a.b | torch " + torch;
  entry.plan = {{"id", "a.b"}};
  log.entries = {entry};
  log.events = {{{"event", "end"}, {"key", entry.key}, {"ms", ms}},
                {{"event", "end"}, {"key", "of nobody"}, {"ms", 5}}};
  return log;
}

TEST(RecordedTimes, AreOfTheNewestLogOfTheRelease) {
  const std::vector<Log> logs = {log_of("2.14.1+cu130", "2026-01-02", 7), log_of("2.14.1", "2026-01-01", 8),
                                 log_of("2.15.0", "2026-01-03", 9)};
  EXPECT_THAT(recorded_times(logs, "2.14.1"), ElementsAre(Pair("a.b", 7)));
}

TEST(RecordedTimes, OfAnotherReleaseAreBetterThanNone) {
  EXPECT_THAT(recorded_times({log_of("2.15.0", "2026-01-03", 9)}, "2.16.0"), ElementsAre(Pair("a.b", 9)));
  EXPECT_THAT(recorded_times({}, "2.16.0"), IsEmpty());
}

TEST(RecordedTimes, LeaveOutWhatHadNoProcess) {
  EXPECT_THAT(recorded_times({log_of("2.15.0", "2026-01-03", 0)}, "2.15.0"), IsEmpty());
}

TEST(UsualTime, IsTheMiddleOneAndNeverNothing) {
  EXPECT_EQ(usual_time({{"a", 10}, {"b", 500}, {"c", 20}}), 20);
  EXPECT_EQ(usual_time({}), 1);
}

}  // namespace
}  // namespace cudasem
