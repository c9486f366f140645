#include "releases.h"

#include <gmock/gmock.h>

namespace cudasem {
namespace {

using testing::HasSubstr;

std::string problem_with(std::string_view document) {
  std::vector<Problem> problems;
  read_releases(parse_toml(document), "expected/releases.toml", problems);
  return problems.empty() ? "none" : text(problems.front());
}

TEST(releases, are_read_in_their_order) {
  std::vector<Problem> problems;
  const auto releases = read_releases(parse_toml("[[release]]\ntorch = '2.11.0'\ncuda_toolkit = '13.0.2'\n"
                                                 "[[release]]\ntorch = '2.13.0'\ncuda_toolkit = '13.0.3'\n"),
                                      "f", problems);
  ASSERT_EQ(releases.size(), 2u);
  EXPECT_EQ(releases[0].torch, "2.11.0");
  EXPECT_EQ(releases[1].cuda_toolkit, "13.0.3");
  EXPECT_TRUE(problems.empty());
}

TEST(releases, mistakes_are_named_with_their_line) {
  EXPECT_EQ(problem_with("[[release]]\ntorch = '2.13'\ncuda_toolkit = '13'\n[[release]]\ntorch = '2.11'\n"
                         "cuda_toolkit = '13'\n"),
            "expected/releases.toml:5: error: 2.11 stands after 2.13: oldest first was expected, each once");
  EXPECT_THAT(problem_with(""), HasSubstr("no release is listed"));
  EXPECT_THAT(problem_with("[[release]]\ntorch = '2.13'\n"), HasSubstr("`cuda_toolkit` is missing"));
  EXPECT_THAT(problem_with("[[release]]\ntorch = 'new'\ncuda_toolkit = '13'\n"), HasSubstr("is no version"));
  EXPECT_THAT(problem_with("[[release]]\ntorch = '2.13'\ncuda_toolkit = '13'\npython = '3'\n"),
              HasSubstr("`python` does not belong to a release"));
}

}  // namespace
}  // namespace cudasem
