#include "unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <set>

namespace cudasem {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// Plans to order; the catalog's cases live as long as it does.
struct Plan {
  std::deque<CatalogCase> cases;
  std::vector<PlanItem> items;
  std::vector<size_t> all;

  void add(const std::string& area, const std::string& isolation, int gpus = 1, const std::string& way = "") {
    CatalogCase& one = cases.emplace_back();
    one.area = area;
    one.info.isolation = isolation;
    one.info.needs_gpus = gpus;
    all.push_back(items.size());
    items.push_back({.found = &one, .id = area + std::to_string(items.size()), .way = way});
  }
};

std::vector<std::vector<size_t>> indices(const std::vector<Unit>& units) {
  std::vector<std::vector<size_t>> result;
  for (const auto& unit : units) result.push_back(unit.items);
  return result;
}

TEST(Units, SharedCasesOfAnAreaWithTheSameGpusGoTogetherAndExclusiveOnesLast) {
  Plan plan;
  plan.add("a", "exclusive");
  plan.add("a", "shared");
  plan.add("a", "process");
  plan.add("a", "shared");
  plan.add("a", "shared", 0);
  plan.add("b", "shared");
  EXPECT_THAT(indices(make_units(plan.items, plan.all, {})),
              ElementsAre(ElementsAre(1, 3), ElementsAre(4), ElementsAre(5), ElementsAre(2), ElementsAre(0)));
}

TEST(Units, IsolateAllSharesNothing) {
  Plan plan;
  for (int i = 0; i < 3; ++i) plan.add("a", "shared");
  EXPECT_THAT(make_units(plan.items, plan.all, {.isolate_all = true}), SizeIs(3));
}

TEST(Units, CasesWithAnEnvironmentOfTheirOwnShareNothing) {
  Plan plan;
  plan.add("a", "shared");
  plan.add("a", "shared");
  plan.cases[0].info.env["X"] = "1";
  EXPECT_THAT(make_units(plan.items, plan.all, {}), SizeIs(2));
}

TEST(Units, RightWaySharesWhereItsWrongWayHasNotEarnedIt) {
  Plan plan;
  plan.add("a", "right_shared", 1, "wrong");
  plan.add("a", "right_shared", 1, "right");
  plan.add("a", "shared");
  plan.add("a", "right_shared", 1, "right");
  EXPECT_THAT(indices(make_units(plan.items, plan.all, {})),
              ElementsAre(ElementsAre(1, 2, 3), ElementsAre(0)));
  EXPECT_THAT(make_units(plan.items, plan.all, {.isolate_all = true}), SizeIs(4));
}

TEST(Units, AsManyBatchesAsJobsAndNoneTooLarge) {
  Plan plan;
  for (int i = 0; i < 10; ++i) plan.add("a", "shared");
  EXPECT_THAT(make_units(plan.items, plan.all, {.jobs = 3}),
              ElementsAre(testing::Field(&Unit::items, SizeIs(4)), testing::Field(&Unit::items, SizeIs(3)),
                          testing::Field(&Unit::items, SizeIs(3))));
  EXPECT_THAT(make_units(plan.items, plan.all, {.largest = 2}), SizeIs(5));
  EXPECT_THAT(make_units(plan.items, plan.all, {.jobs = 100}), SizeIs(10));
}

TEST(Units, ShuffleKeepsEachCaseOnceAndIsTheSameForASeed) {
  Plan plan;
  for (int i = 0; i < 30; ++i) plan.add(i % 2 ? "a" : "b", i % 3 ? "shared" : "process");
  const auto once = indices(make_units(plan.items, plan.all, {.shuffle = 5, .jobs = 4}));
  EXPECT_EQ(indices(make_units(plan.items, plan.all, {.shuffle = 5, .jobs = 4})), once);
  EXPECT_NE(indices(make_units(plan.items, plan.all, {.shuffle = 6, .jobs = 4})), once);
  std::multiset<size_t> seen;
  for (const auto& unit : once) seen.insert(unit.begin(), unit.end());
  EXPECT_EQ(seen, std::multiset<size_t>(plan.all.begin(), plan.all.end()));
}

}  // namespace
}  // namespace cudasem
