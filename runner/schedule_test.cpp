#include "schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudasem {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Schedule::Item kHost{0}, kOneGpu{1}, kTwoGpus{2}, kAlone{0, true};
constexpr Schedule::Limits kPlenty{8, 1};

TEST(Schedule, OneCaseOnEachGpu) {
  Schedule schedule({kOneGpu, kOneGpu, kOneGpu}, {0, 1}, kPlenty);
  const auto first = schedule.next(), second = schedule.next();
  EXPECT_THAT(first->gpus, ElementsAre(0));
  EXPECT_THAT(second->gpus, ElementsAre(1));
  EXPECT_FALSE(schedule.next());
  schedule.finished(*second);
  EXPECT_THAT(schedule.next()->gpus, ElementsAre(1));
}

TEST(Schedule, HostCasesNeedNoSlot) {
  Schedule schedule({kOneGpu, kOneGpu, kHost}, {0}, kPlenty);
  EXPECT_EQ(schedule.next()->item, 0u);
  EXPECT_EQ(schedule.next()->item, 2u);
  EXPECT_FALSE(schedule.next());
}

TEST(Schedule, NeverMoreThanTheTotal) {
  Schedule schedule({kHost, kHost, kHost}, {}, {2, 1});
  EXPECT_TRUE(schedule.next());
  EXPECT_TRUE(schedule.next());
  EXPECT_FALSE(schedule.next());
}

TEST(Schedule, TwoGpusAreTakenTogether) {
  Schedule schedule({kOneGpu, kTwoGpus}, {0, 1}, kPlenty);
  const auto one = schedule.next();
  EXPECT_FALSE(schedule.next());
  schedule.finished(*one);
  EXPECT_THAT(schedule.next()->gpus, ElementsAre(0, 1));
}

TEST(Schedule, AloneWaitsForAllAndLetsNobodyIn) {
  Schedule schedule({kHost, kAlone, kAlone}, {}, kPlenty);
  const auto host = schedule.next();
  EXPECT_FALSE(schedule.next());
  schedule.finished(*host);
  const auto alone = schedule.next();
  EXPECT_EQ(alone->item, 1u);
  EXPECT_FALSE(schedule.next());
  schedule.finished(*alone);
  EXPECT_EQ(schedule.next()->item, 2u);
}

TEST(Schedule, HeldGpusLetHostCasesThrough) {
  Schedule schedule({kOneGpu, kHost}, {0}, kPlenty);
  schedule.hold_gpus(true);
  EXPECT_EQ(schedule.next()->item, 1u);
  EXPECT_FALSE(schedule.next());
  schedule.hold_gpus(false);
  EXPECT_EQ(schedule.next()->item, 0u);
}

TEST(Schedule, QuarantineStrandsWhatNeedsMoreThanIsLeft) {
  Schedule schedule({kTwoGpus, kOneGpu, kHost}, {0, 1}, kPlenty);
  schedule.quarantine(0);
  EXPECT_THAT(schedule.take_stranded(), ElementsAre(0u));
  EXPECT_THAT(schedule.next()->gpus, ElementsAre(1));
  schedule.quarantine(1);
  EXPECT_THAT(schedule.take_stranded(), IsEmpty());
  EXPECT_EQ(schedule.next()->item, 2u);
  EXPECT_TRUE(schedule.exhausted());
}

TEST(Schedule, FinishedOnAQuarantinedGpuGivesNoSlotBack) {
  Schedule schedule({kOneGpu, kOneGpu}, {0}, kPlenty);
  const auto first = schedule.next();
  schedule.quarantine(0);
  schedule.finished(*first);
  EXPECT_FALSE(schedule.next());
}

TEST(Schedule, ClosedStartsNothing) {
  Schedule schedule({kHost}, {}, kPlenty);
  schedule.close();
  EXPECT_FALSE(schedule.next());
}

TEST(ScheduleLimits, WithoutJobsAreOneOnAGpuAndHostCasesOnTheCores) {
  EXPECT_EQ(Schedule::Limits::from(0, 1, 16).total, 8);
  EXPECT_EQ(Schedule::Limits::from(0, 1, 16).on_a_gpu, 1);
  EXPECT_EQ(Schedule::Limits::from(0, 0, 1).total, 1);
}

TEST(ScheduleLimits, JobsAreATotalSpreadOverTheGpus) {
  EXPECT_EQ(Schedule::Limits::from(8, 1, 2).on_a_gpu, 8);
  EXPECT_EQ(Schedule::Limits::from(8, 2, 2).on_a_gpu, 4);
  EXPECT_EQ(Schedule::Limits::from(1, 2, 2).total, 1);
  EXPECT_EQ(Schedule::Limits::from(4, 0, 2).total, 4);
}

}  // namespace
}  // namespace cudasem
