#include "floor.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudasem {
namespace {

using testing::HasSubstr;

std::set<std::string> numbered(int count) {
  std::set<std::string> ids;
  for (int i = 0; i < count; ++i) ids.insert(fmt::format("a.case_{:03}", i));
  return ids;
}

Log log(const std::string& file, const std::string& utc, const std::string& torch, int gpus) {
  Log log;
  log.file = "recorded/" + file;
  log.run = {{"utc", utc}, {"profile", "native"}};
  log.machine = {{"gpus", nlohmann::json::array()}};
  for (int i = 0; i < gpus; ++i) log.machine["gpus"].push_back({{"index", i}});
  log.subject = {{"torch", torch}};
  log.finish = {{"exit", 0}};
  return log;
}

LogEntry entry(const std::string& id, Outcome outcome) {
  LogEntry entry;
  entry.plan = {{"id", id}};
  entry.attempts = {Observed{.outcome = outcome}};
  return entry;
}

Subject subject() {
  Subject subject;
  subject.torch = "2.14.1+cu130";
  subject.gpus = 1;
  return subject;
}

TEST(Floor, IsNeverARunOfSomeCasesNorOneThatWasNotValid) {
  Log whole = log("whole", "2026-01-01", "2.14.1+cu130", 1);
  Log filtered = log("filtered", "2026-02-01", "2.14.1+cu130", 1);
  Log invalid = log("invalid", "2026-03-01", "2.14.1+cu130", 1);
  filtered.run["complete"] = false;
  invalid.finish = {{"exit", 2}};
  Log shard = log("shard", "2026-04-01", "2.14.1+cu130", 1);
  shard.run["shard"] = "1/2";
  const auto floor = find_floor({whole, filtered, invalid, shard}, subject());
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->file, "whole");
  EXPECT_FALSE(find_floor({filtered, invalid}, subject()));
}

TEST(Floor, MayLoseOneInTwenty) {
  const Floor floor{"x.ndjson", numbered(100)};
  EXPECT_FALSE(floor.missed_by(numbered(100)));
  EXPECT_FALSE(floor.missed_by(numbered(95)));
}

TEST(Floor, IsMissedWithMoreLost) {
  const Floor floor{"x.ndjson", numbered(100)};
  const auto why = floor.missed_by(numbered(94));
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("6 of them did not run here, a.case_094 first"));
}

TEST(Floor, NewCasesDoNotMakeUpForLostOnes) {
  std::set<std::string> executed = numbered(90);
  for (int i = 0; i < 50; ++i) executed.insert(fmt::format("b.new_{}", i));
  EXPECT_TRUE((Floor{"x.ndjson", numbered(100)}).missed_by(executed));
}

TEST(Floor, ComesFromTheNewestRunOfReleaseAndGpuCount) {
  const auto floor = find_floor({log("old", "2026-01-01T00:00:00Z", "2.14.1+cu130", 1),
                                 log("newest", "2026-03-01T00:00:00Z", "2.14.1+cu130", 1),
                                 log("two_gpus", "2026-04-01T00:00:00Z", "2.14.1+cu130", 2),
                                 log("other_release", "2026-05-01T00:00:00Z", "2.15.0+cu130", 1)},
                                subject());
  ASSERT_TRUE(floor);
  EXPECT_EQ(floor->file, "newest");
}

TEST(Floor, KilledRunsGiveNone) {
  Log killed = log("killed", "2026-01-01T00:00:00Z", "2.14.1", 1);
  killed.finish = nullptr;
  EXPECT_FALSE(find_floor({killed}, subject()));
}

TEST(Floor, SkippedAndMissingWereNotExecuted) {
  Log some = log("x", "2026-01-01T00:00:00Z", "2.14.1", 1);
  some.entries = {entry("a.ok", Outcome::ok), entry("a.hang", Outcome::hang), entry("a.skip", Outcome::skip),
                  entry("a.missing", Outcome::missing), LogEntry{}};
  EXPECT_THAT(executed_ids(some), testing::ElementsAre("a.hang", "a.ok"));
}

}  // namespace
}  // namespace cudasem
