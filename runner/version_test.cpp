#include "version.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace cudasem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string parsed(std::string_view text) {
  auto version = Version::parse(text);
  return version ? version->text() : "none";
}

TEST(version, only_the_release_segment_counts) {
  EXPECT_EQ(parsed("2.16.0.dev20260901+cu132"), "2.16");
  EXPECT_EQ(parsed("2.14.1+cu130"), "2.14.1");
  EXPECT_EQ(parsed("2.15.0a0+gitabc"), "2.15");
  EXPECT_EQ(Version::parse("2.14.0rc1"), Version(2, 14));
}

TEST(version, drivers_compute_capabilities_and_cuda_versions_are_versions) {
  EXPECT_EQ(Version::parse("580.159.03"), Version(580, 159, 3));
  EXPECT_EQ(Version::parse("9.0"), Version(9));
  EXPECT_EQ(Version::parse("13.0"), Version(13, 0));
}

TEST(version, missing_parts_are_zero) {
  EXPECT_EQ(Version::parse("2.13"), Version::parse("2.13.0"));
  EXPECT_LT(*Version::parse("2.13"), *Version::parse("2.13.1"));
}

TEST(version, parts_compare_as_numbers) {
  EXPECT_LT(*Version::parse("2.9"), *Version::parse("2.11"));
}

TEST(version, what_is_no_version_is_none) {
  for (const char* text : {"", "abc", ".1", "-1.2", "1.2.3.4.5", "99999999999"})
    EXPECT_EQ(parsed(text), "none") << text;
}

TEST(version, an_end_is_in_its_range_only_if_it_is_included) {
  const Range range = parse_range(">=2.13, <2.15");
  EXPECT_TRUE(range.contains(Version(2, 13)));
  EXPECT_TRUE(range.contains(Version(2, 14, 9)));
  EXPECT_FALSE(range.contains(Version(2, 15)));
  EXPECT_FALSE(range.contains(Version(2, 12, 9)));
  EXPECT_FALSE(parse_range(">2.13").contains(Version(2, 13)));
  EXPECT_TRUE(parse_range(">2.13").contains(Version(2, 13, 1)));
  EXPECT_TRUE(parse_range("<=2.13").contains(Version(2, 13)));
  EXPECT_TRUE(parse_range("==2.11.0").contains(Version(2, 11)));
  EXPECT_FALSE(parse_range("==2.11.0").contains(Version(2, 11, 1)));
}

TEST(version, a_range_prints_as_it_is_written) {
  for (const char* text : {">=2.13, <2.15", "==2.11", ">2.13", "<=2.14.1", ">=580.159.3"})
    EXPECT_EQ(parse_range(text).text(), text);
  EXPECT_EQ(Range{}.text(), "any");
  EXPECT_EQ(parse_range(" <2.15 ,>=2.13 ").text(), ">=2.13, <2.15");
}

std::string refusal(std::string_view text) {
  try {
    parse_range(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(version, a_range_that_holds_nothing_is_refused) {
  for (const char* text : {"<2.11, >=2.13", ">2.13, <2.13", ">2.13, <=2.13", "==2.11, ==2.12", "<0"})
    EXPECT_THAT(refusal(text), HasSubstr("no version is in the range")) << text;
}

TEST(version, what_is_no_range_is_refused_with_what_was_found) {
  EXPECT_THAT(refusal("2.13"), HasSubstr("starts with \"\""));
  EXPECT_THAT(refusal("!=2.13"), HasSubstr("starts with \"!=\""));
  EXPECT_THAT(refusal(">=2.13,"), HasSubstr("\"\" is no comparison"));
  EXPECT_THAT(refusal(">=2.x"), HasSubstr("\">=2.x\" is no comparison"));
  EXPECT_THAT(refusal(""), HasSubstr("no comparison"));
  EXPECT_THAT(refusal(">=2.14+cu130"), HasSubstr("no comparison"));
}

TEST(version, neighbours_do_not_meet_but_shared_ends_do) {
  EXPECT_TRUE(intersect(parse_range("<2.13"), parse_range(">=2.13")).empty());
  EXPECT_FALSE(intersect(parse_range("<=2.13"), parse_range(">=2.13")).empty());
  EXPECT_EQ(intersect(parse_range("<2.14"), parse_range(">=2.13")).text(), ">=2.13, <2.14");
}

std::vector<std::string> rest(std::string_view from, std::string_view taken) {
  std::vector<std::string> result;
  for (const auto& range : subtract(parse_range(from), parse_range(taken))) result.push_back(range.text());
  return result;
}

TEST(version, of_two_equal_ends_the_excluded_one_is_narrower) {
  for (const auto& [one, other] : {std::pair{">=2.13", ">2.13"}, {">2.13", ">=2.13"}})
    EXPECT_EQ(intersect(parse_range(one), parse_range(other)).text(), ">2.13");
  for (const auto& [one, other] : {std::pair{"<=2.13", "<2.13"}, {"<2.13", "<=2.13"}})
    EXPECT_EQ(intersect(parse_range(one), parse_range(other)).text(), "<2.13");
}

TEST(version, subtracting_leaves_what_is_below_and_above) {
  EXPECT_THAT(rest(">=2.11", ">=2.13, <2.14"), ElementsAre(">=2.11, <2.13", ">=2.14"));
  EXPECT_THAT(rest(">=2.11", ">2.11"), ElementsAre("==2.11"));
  EXPECT_THAT(rest(">=2.11", ">=2.11, <=2.14"), ElementsAre(">2.14"));
  EXPECT_THAT(rest(">=2.11", "<2.11"), ElementsAre(">=2.11"));
  EXPECT_THAT(rest(">=2.11, <2.14", ">=2.0"), ElementsAre());
}

}  // namespace
}  // namespace cudasem
