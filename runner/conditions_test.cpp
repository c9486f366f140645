#include "conditions.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace cudasem {
namespace {

using testing::ElementsAre;

Conditions box(std::initializer_list<std::pair<const char*, const char*>> ranges,
               std::string profile = "native") {
  Conditions conditions;
  for (const auto& [dimension, range] : ranges) conditions.restrict(dimension, range);
  conditions.profile = std::move(profile);
  return conditions;
}

Subject h200() {
  return {"2.14.1+cu130", "13.0", "580.159.03", "9.0", 2, "native"};
}

TEST(conditions, without_any_they_hold_for_every_native_subject) {
  EXPECT_TRUE(Conditions{}.hold(h200()));
  EXPECT_TRUE(Conditions{}.hold(Subject{}));
}

TEST(conditions, each_dimension_can_fail_alone) {
  const std::pair<const char*, const char*> holding[] = {
      {"torch", ">=2.14"}, {"cuda", "==13.0"}, {"driver", ">=580"}, {"cc", "<10"}, {"gpus", ">1"}};
  const std::pair<const char*, const char*> failing[] = {
      {"torch", "<2.14"}, {"cuda", ">13.0"}, {"driver", "<580.159"}, {"cc", ">=10"}, {"gpus", "<=1"}};
  for (const auto& condition : holding) EXPECT_TRUE(box({condition}).hold(h200())) << condition.first;
  for (const auto& condition : failing) EXPECT_FALSE(box({condition}).hold(h200())) << condition.first;
  EXPECT_FALSE(box({}, "uncached").hold(h200()));
}

TEST(conditions, what_a_subject_does_not_have_fulfils_no_range) {
  Subject subject = h200();
  subject.driver = subject.cc = "";
  EXPECT_FALSE(box({{"driver", ">=0"}, {"cc", "<10"}}).hold(subject));
  EXPECT_FALSE(box({{"cc", "<10"}}).hold(subject));
  for (const char* dimension : {"driver", "cc"}) EXPECT_FALSE(box({{dimension, ">=0"}}).hold(subject));
  EXPECT_TRUE(box({{"driver", ">=0"}}).hold(h200()));
  EXPECT_TRUE(box({{"torch", ">=2.14"}}).hold(subject));
}

TEST(conditions, an_unknown_dimension_is_refused) {
  EXPECT_THROW(Conditions{}.restrict("gpu", ">1"), std::invalid_argument);
}

TEST(conditions, boxes_overlap_only_if_they_do_in_every_dimension) {
  const auto early = box({{"torch", "<2.13"}}), late = box({{"torch", ">=2.13"}}),
             hopper = box({{"cc", "<10"}});
  EXPECT_FALSE(overlap(early, late));
  EXPECT_TRUE(overlap(early, hopper));
  EXPECT_FALSE(
      overlap(box({{"torch", ">=2.13"}, {"cc", ">=10"}}), box({{"torch", ">=2.13"}, {"cc", "<10"}})));
  EXPECT_FALSE(overlap(early, box({{"torch", "<2.13"}}, "uncached")));
}

std::vector<std::string> gaps(const Conditions& whole, const std::vector<Conditions>& parts) {
  std::vector<std::string> result;
  for (const auto& gap : uncovered(whole, parts)) result.push_back(gap.text());
  return result;
}

TEST(conditions, a_gap_between_two_ranges_is_found) {
  EXPECT_THAT(gaps(box({{"torch", ">=2.11"}}), {box({{"torch", "<2.13"}}), box({{"torch", ">2.13"}})}),
              ElementsAre("torch ==2.13"));
  EXPECT_THAT(gaps(box({{"torch", ">=2.11"}}), {box({{"torch", ">=2.13"}})}),
              ElementsAre("torch >=2.11, <2.13"));
  EXPECT_THAT(gaps(box({{"torch", ">=2.11"}}), {}), ElementsAre("torch >=2.11"));
}

TEST(conditions, ranges_that_touch_leave_no_gap) {
  EXPECT_THAT(gaps(box({{"torch", ">=2.11"}}), {box({{"torch", ">=2.13"}}), box({{"torch", "<2.13"}})}),
              ElementsAre());
  EXPECT_THAT(gaps(box({{"torch", ">=2.11"}}), {Conditions{}}), ElementsAre());
}

TEST(conditions, a_gap_in_another_dimension_is_a_gap) {
  EXPECT_THAT(gaps(box({{"torch", ">=2.11"}}),
                   {box({{"torch", "<2.14"}}), box({{"torch", ">=2.14"}, {"cuda", "<13.2"}})}),
              ElementsAre("torch >=2.14; cuda >=13.2"));
  EXPECT_THAT(gaps(box({{"torch", ">=2.11"}}), {box({{"cc", "<10"}}), box({{"cc", ">=10"}})}), ElementsAre());
}

TEST(conditions, gaps_do_not_overlap) {
  EXPECT_THAT(gaps(box({{"torch", ">=2.11"}}), {box({{"torch", ">=2.14"}, {"cuda", ">=13.2"}})}),
              ElementsAre("torch >=2.11, <2.14", "torch >=2.14; cuda <13.2"));
}

TEST(conditions, there_is_nothing_between_two_whole_numbers_of_gpus) {
  EXPECT_THAT(gaps(Conditions{}, {box({{"gpus", "<=1"}}), box({{"gpus", ">1"}})}), ElementsAre());
  EXPECT_THAT(gaps(Conditions{}, {box({{"gpus", "<2"}}), box({{"gpus", ">2"}})}),
              ElementsAre("gpus >=2, <3"));
}

}  // namespace
}  // namespace cudasem
