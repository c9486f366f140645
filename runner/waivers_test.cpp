#include "waivers.h"

#include <gmock/gmock.h>

namespace cudasem {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string good =
    "[[waiver]]\ncase = 'a.b/wrong'\noutcome = 'error'\nowner = 'graphs'\nlink = 'https://l'\nexpires = "
    "2026-12-31\n";

Waivers read(const std::string& text, const std::string& today, std::vector<Problem>& problems) {
  return Waivers::read(parse_toml(text), "w.toml", today, problems);
}

std::string problem_with(const std::string& text) {
  std::vector<Problem> problems;
  read(text, "2026-11-30", problems);
  return problems.empty() ? "" : cudasem::text(problems.front());
}

TEST(waivers, one_outcome_of_one_id_is_waived_to_the_last_day) {
  std::vector<Problem> problems;
  const Waivers waivers = read(good, "2026-12-31", problems);
  EXPECT_THAT(problems, IsEmpty());
  ASSERT_NE(waivers.find("a.b/wrong", Outcome::error), nullptr);
  EXPECT_EQ(to_json(*waivers.find("a.b/wrong", Outcome::error)),
            nlohmann::json({{"owner", "graphs"}, {"link", "https://l"}, {"expires", "2026-12-31"}}));
  const nlohmann::json said = to_json(*waivers.find("a.b/wrong", Outcome::error));
  EXPECT_EQ(to_json(waiver_from_json(said)), said);
  EXPECT_EQ(waivers.find("a.b/wrong", Outcome::crash), nullptr);
  EXPECT_EQ(waivers.find("a.b/right", Outcome::error), nullptr);
  EXPECT_THAT(waivers.expired(), IsEmpty());
}

TEST(waivers, after_the_last_day_nothing_is_waived) {
  std::vector<Problem> problems;
  const Waivers waivers = read(good, "2027-01-01", problems);
  EXPECT_EQ(waivers.find("a.b/wrong", Outcome::error), nullptr);
  ASSERT_EQ(waivers.expired().size(), 1u);
  EXPECT_EQ(waivers.expired()[0].id, "a.b/wrong");
}

TEST(waivers, mistakes_are_named_with_file_and_line) {
  EXPECT_THAT(problem_with("[[waiver]]\ncase = 'a.b'\n"), HasSubstr("w.toml:1: error: `outcome` is missing"));
  EXPECT_THAT(problem_with(good + "reason = 'x'\n"), HasSubstr("reason"));
  EXPECT_THAT(problem_with(good + good), HasSubstr("waived twice"));
  std::string other = good;
  other.replace(other.find("error"), 5, "skip");
  EXPECT_THAT(problem_with(other), HasSubstr("`outcome` is \"skip\""));
  EXPECT_THAT(problem_with(good.substr(0, good.find("expires"))), HasSubstr("`expires` is missing"));
}

TEST(waivers, today_is_a_date) {
  EXPECT_THAT(today(), testing::MatchesRegex("20[0-9]{2}-[0-9]{2}-[0-9]{2}"));
}

}  // namespace
}  // namespace cudasem
