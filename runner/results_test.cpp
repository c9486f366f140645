#include "results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudasem {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const Judgement kGood{Verdict::as_expected, "", 1, 1},
    kBad{Verdict::regression, "expected ok; saw fail", 0, 1};

TEST(Results, GoodResultOfABatchStands) {
  Results results(1, {});
  EXPECT_TRUE(results.add({.in_batch = true, .judgement = kGood}).done);
}

TEST(Results, BadOrSuspectResultOfABatchIsSeenAgainAlone) {
  Results results(2, {});
  const auto bad = results.add({.item = 1, .in_batch = true, .judgement = kBad});
  EXPECT_FALSE(bad.done);
  ASSERT_THAT(bad.again, SizeIs(1));
  EXPECT_THAT(bad.again[0].items, ElementsAre(1));
  EXPECT_EQ(bad.again[0].purpose, Purpose::alone);
  EXPECT_FALSE(results.add({.item = 0, .in_batch = true, .suspect = true, .judgement = kGood}).done);
  const auto alone = results.add({.item = 1, .purpose = Purpose::alone, .judgement = kGood});
  EXPECT_TRUE(alone.done);
  EXPECT_EQ(alone.verdict.verdict, Verdict::as_expected);
}

TEST(Results, RetriesAreAloneInOrderAndUnderLoad) {
  Results results(3, {.retry = 3});
  results.ran_after(2, {0, 1});
  const auto again = results.add({.item = 2, .judgement = kBad}).again;
  ASSERT_THAT(again, SizeIs(3));
  EXPECT_EQ(again[0].purpose, Purpose::alone);
  EXPECT_EQ(again[1].purpose, Purpose::order);
  EXPECT_THAT(again[1].items, ElementsAre(0, 1, 2));
  EXPECT_TRUE(again[1].only_last);
  EXPECT_EQ(again[2].purpose, Purpose::load);
  results.add({.item = 2, .purpose = Purpose::alone, .judgement = kGood});
  results.add({.item = 2, .purpose = Purpose::order, .judgement = kBad});
  const auto last = results.add({.item = 2, .purpose = Purpose::load, .judgement = kGood});
  EXPECT_TRUE(last.done);
  EXPECT_EQ(last.verdict.verdict, Verdict::flaky);
  EXPECT_EQ(last.verdict.k, 2);
  EXPECT_EQ(last.verdict.n, 4);
}

TEST(Results, GoodOnesAreNotRetried) {
  Results results(1, {.retry = 3});
  EXPECT_THAT(results.add({.judgement = kGood}).again, IsEmpty());
}

TEST(Wilson, IsThatOfTheTables) {
  EXPECT_NEAR(wilson(3, 4).low, 0.3006, 1e-3);
  EXPECT_NEAR(wilson(3, 4).high, 0.9544, 1e-3);
  EXPECT_NEAR(wilson(0, 15).high, 0.2039, 1e-3);
  EXPECT_EQ(wilson(0, 15).low, 0);
}

}  // namespace
}  // namespace cudasem
