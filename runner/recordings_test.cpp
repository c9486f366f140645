#include "recordings.h"

#include <gmock/gmock.h>

#include "expectation_parser.h"
#include "rejudge.h"
#include "sample_log.h"
#include "test_folder.h"

namespace cudasem {
namespace {

using testing::HasSubstr;

Expectation entry(const std::string& conditions) {
  std::vector<Problem> problems;
  const std::string text =
      "[[expect]]\ncase = 'a.b/wrong'\noutcome = 'error'\nat = 'item'\ncode = 900\nwhy = 'w'\n"
      "link = 'https://l'\n" +
      conditions;
  return parse_expectations(parse_toml(text), "expected/a.toml", problems).at(0);
}

Recordings recorded(const Observed& observed) {
  const auto text =
      sample::text({sample::run(), sample::machine(), sample::subject(), sample::plan("a.b/wrong", "h1"),
                    sample::end("a.b/wrong", observed), sample::finish()});
  return Recordings({read_log_text(text, "x")});
}

TEST(recordings, a_recording_of_the_same_case_release_and_profile_is_a_measurement) {
  const auto recordings = recorded(sample::error(900));
  EXPECT_EQ(recordings.evidence(entry(""), "h1", "2.14.1"), Evidence::measured);
  EXPECT_EQ(recordings.evidence(entry(""), "h1", "2.14.1+cu132"), Evidence::measured);
  EXPECT_EQ(recordings.evidence(entry(""), "h2", "2.14.1"), Evidence::inferred);
  EXPECT_EQ(recordings.evidence(entry(""), "h1", "2.15.0"), Evidence::inferred);
  EXPECT_EQ(recordings.evidence(entry("profile = 'uncached'"), "h1", "2.14.1"), Evidence::inferred);
  EXPECT_EQ(recordings.evidence(entry("cc = '>=10'"), "h1", "2.14.1"), Evidence::inferred);
}

TEST(recordings, a_recording_that_shows_something_else_is_none) {
  EXPECT_EQ(recorded(sample::error(901)).evidence(entry(""), "h1", "2.14.1"), Evidence::inferred);
  EXPECT_EQ(recorded(sample::ok()).evidence(entry(""), "h1", "2.14.1"), Evidence::inferred);
  EXPECT_EQ(Recordings().evidence(entry(""), "h1", "2.14.1"), Evidence::inferred);
}

TEST(recordings, logs_that_cannot_be_read_are_problems_and_the_others_are_there) {
  test::TestFolder folder;
  write_log(folder / "a.ndjson.gz", {sample::run()});
  folder.write("b.ndjson", "nonsense\n");
  std::vector<Problem> problems;
  const auto recordings = Recordings::load(folder.path(), problems);
  ASSERT_EQ(recordings.logs().size(), 1u);
  EXPECT_EQ(recordings.logs()[0].file, "reports/recorded/a.ndjson.gz");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].file, "reports/recorded/b.ndjson");
}

}  // namespace
}  // namespace cudasem
