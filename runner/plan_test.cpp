#include "plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudasem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CatalogCase a_case(const std::string& name, Kind kind = Kind::rule, int gpus = 0) {
  CatalogCase c;
  c.info.name = name;
  c.info.kind = kind;
  if (kind == Kind::misuse) c.info.ways = {"wrong", "right"};
  c.info.needs_gpus = gpus;
  c.info.claims = {"claim." + name};
  c.area = name.substr(0, name.find('.'));
  return c;
}

const Catalog kCatalog{.cases = {a_case("capture.item", Kind::misuse, 1), a_case("capture.empty"),
                                 a_case("replay.twice", Kind::observe, 2)},
                       .uncompiled = {{"streams", "error"}}};

std::vector<std::string> ids(const std::vector<PlanItem>& plan) {
  std::vector<std::string> result;
  for (const auto& item : plan) result.push_back(item.id);
  return result;
}
std::vector<std::string> selected(const Selection& selection) {
  return ids(make_plan(kCatalog, selection, {2}));
}

TEST(Plan, WithoutFiltersIsEverythingInOrder) {
  EXPECT_THAT(selected({}),
              ElementsAre("capture.item/wrong", "capture.item/right", "capture.empty", "replay.twice"));
}

TEST(Plan, GlobIsOnTheIdAndACaseNameSelectsItsWays) {
  EXPECT_THAT(selected({.globs = {"capture.item"}}), ElementsAre("capture.item/wrong", "capture.item/right"));
  EXPECT_THAT(selected({.globs = {"*/right"}}), ElementsAre("capture.item/right"));
  EXPECT_THAT(selected({.globs = {"replay.*", "*.empty"}}), ElementsAre("capture.empty", "replay.twice"));
  EXPECT_THAT(selected({.globs = {"nothing"}}), IsEmpty());
}

TEST(Plan, FiltersAllHaveToHold) {
  EXPECT_THAT(selected({.areas = {"capture"}, .kinds = {"rule"}}), ElementsAre("capture.empty"));
  EXPECT_THAT(selected({.claims = {"claim.replay.twice"}}), ElementsAre("replay.twice"));
  EXPECT_THAT(selected({.way = "wrong"}), ElementsAre("capture.item/wrong"));
}

TEST(Plan, ShardsAreAPartitionThatKeepsWaysTogether) {
  EXPECT_THAT(selected({.shard = 1, .shards = 2}), ElementsAre("capture.item/wrong", "capture.item/right"));
  EXPECT_THAT(selected({.shard = 2, .shards = 2}), ElementsAre("capture.empty", "replay.twice"));
}

TEST(Plan, AShardOfEverythingLeavesNothingOut) {
  EXPECT_TRUE(Selection{}.selects_all(kCatalog));
  EXPECT_TRUE((Selection{.shard = 2, .shards = 3}).selects_all(kCatalog));
  EXPECT_FALSE((Selection{.globs = {"capture.*", "replay.*"}}).selects_all(kCatalog));  // not streams
  EXPECT_FALSE((Selection{.way = "wrong"}).selects_all(kCatalog));
  EXPECT_FALSE((Selection{.kinds = {"misuse"}, .shard = 2, .shards = 3}).selects_all(kCatalog));
}

TEST(Plan, ShardsTakeAboutAsLongAsEachOtherByRecordedTimes) {
  const std::map<std::string, double> times = {{"capture.empty", 900}, {"replay.twice", 500}};
  EXPECT_THAT(ids(make_plan(kCatalog, {.shard = 1, .shards = 2}, {2}, times)),
              ElementsAre("capture.item/wrong", "capture.item/right"));
  EXPECT_THAT(balanced_shards({5, 9, 4, 3, 3}, 2), ElementsAre(2, 1, 2, 1, 2));
  EXPECT_THAT(balanced_shards({1, 1, 1}, 3), ElementsAre(1, 2, 3));
}

TEST(Plan, LongestFirstKeepsExclusiveCasesLastAndEqualOnesInOrder) {
  Catalog catalog = kCatalog;
  catalog.cases[2].info.isolation = "exclusive";
  const auto plan = make_plan(catalog, {}, {2});
  std::vector<size_t> items = {0, 1, 2, 3};
  longest_first(items, plan, {{"capture.empty", 900}, {"capture.item/right", 300}, {"replay.twice", 5000}});
  EXPECT_THAT(items, ElementsAre(0, 2, 1, 3));  // item/wrong was never recorded: the middle one, 900
  items = {0, 1, 2, 3};
  longest_first(items, plan, {});
  EXPECT_THAT(items, ElementsAre(0, 1, 2, 3));
}

TEST(Plan, ExclusiveCasesComeLast) {
  Catalog catalog = kCatalog;
  catalog.cases[0].info.isolation = "exclusive";
  EXPECT_EQ(ids(make_plan(catalog, {}, {2})).back(), "capture.item/right");
}

TEST(Plan, UncompiledAreaBelongsToWhatNamesIt) {
  EXPECT_TRUE(Selection{}.selects_area("streams"));
  EXPECT_TRUE((Selection{.globs = {"streams.order/wrong"}}).selects_area("streams"));
  EXPECT_TRUE((Selection{.globs = {"*"}}).selects_area("streams"));
  EXPECT_FALSE((Selection{.globs = {"capture.*"}}).selects_area("streams"));
  EXPECT_FALSE((Selection{.areas = {"capture"}}).selects_area("streams"));
  EXPECT_TRUE((Selection{.kinds = {"rule"}, .claims = {"c"}, .way = "wrong"}).selects_area("streams"));
}

TEST(Plan, WhatNothingAnswersToIsNamed) {
  EXPECT_THAT(
      (Selection{.globs = {"capture.*", "typo.zzz"}, .areas = {"capture", "typo"}}).unmatched(kCatalog),
      ElementsAre("typo.zzz", "typo"));
  EXPECT_THAT(Selection{}.unmatched(kCatalog), IsEmpty());
}

TEST(Needs, GpusThatAreNotThereAreNamed) {
  CaseInfo two;
  two.needs_gpus = 2;
  EXPECT_EQ(why_unsupported(two, {1}), "needs 2 GPUs, 1 found");
  EXPECT_THAT(why_unsupported(two, {0, "no driver"}), HasSubstr("none is usable: no driver"));
  EXPECT_EQ(why_unsupported(two, {2}), "");
}

TEST(Needs, FeaturesThatThisBuildLacksAreNamed) {
  CaseInfo info;
  info.needs_gpus = 0;
  info.lacks = {"if_nodes"};
  EXPECT_THAT(why_unsupported(info, {}), HasSubstr("needs if_nodes"));
}

TEST(Needs, CachingAllocatorThatIsTurnedOffIsNamed) {
  CaseInfo info;
  info.needs_gpus = 0;
  info.needs_caching = true;
  EXPECT_EQ(why_unsupported(info, {}), "");
  EXPECT_THAT(why_unsupported(info, {.caching_off_by = "PYTORCH_NO_CUDA_MEMORY_CACHING"}),
              HasSubstr("PYTORCH_NO_CUDA_MEMORY_CACHING"));
}

TEST(Banner, SaysEachReasonOnce) {
  const std::string banner = unsupported_banner(make_plan(kCatalog, {}, {0, "no driver"}));
  EXPECT_THAT(banner, HasSubstr("3 of 4 cases are skipped"));
  EXPECT_THAT(banner, HasSubstr("   2 needs a GPU, none is usable: no driver"));
  EXPECT_EQ(unsupported_banner(make_plan(kCatalog, {}, {2})), "");
}

}  // namespace
}  // namespace cudasem
