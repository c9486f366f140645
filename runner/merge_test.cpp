#include "merge.h"

#include <gmock/gmock.h>

#include <sstream>

#include "rejudge.h"
#include "sample_log.h"
#include "test_folder.h"

namespace cudasem {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The log of shard `word` with one case that came out as `verdict`.
Log shard(const std::string& word, const std::string& id, const json& more = json::object(),
          const std::string& verdict = "as_expected", int exit = 0) {
  json run = sample::run(), subject = sample::subject();
  run["id"] = "run-" + word;
  run["shard"] = word;
  run["complete"] = true;
  run["utc"] = "2026-11-30T02:00:0" + word.substr(0, 1) + "Z";
  subject.update(more);
  return read_log_text(
      sample::text({run, sample::machine(), subject, sample::plan(id), sample::begin(id),
                    sample::end(id, sample::ok()), sample::verdict(id, verdict), sample::finish(exit)}),
      word + ".ndjson");
}

std::string refusal(const std::vector<Log>& logs) {
  try {
    merge(logs);
  } catch (const LogError& error) {
    return error.what();
  }
  return "";
}

TEST(merge, shards_in_any_order_become_one_run) {
  const Merged merged = merge({shard("2/2", "a.c", json::object(), "regression", 1), shard("1/2", "a.b")});
  EXPECT_THAT(merged.missing, IsEmpty());
  const Log log = read_log_text(sample::text(merged.events), "merged");
  EXPECT_EQ(log.run["shard"], json());
  EXPECT_EQ(log.run["complete"], true);
  EXPECT_EQ(log.run["utc"], "2026-11-30T02:00:01Z");
  EXPECT_EQ(log.run["merged_from"], json({"run-1/2", "run-2/2"}));
  ASSERT_EQ(log.entries.size(), 2u);
  EXPECT_EQ(log.entries[0].id(), "a.b");
  EXPECT_EQ(log.entries[1].verdict["verdict"], "regression");
  EXPECT_EQ(log.finish["counts"], json({{"as_expected", 1}, {"regression", 1}}));
  EXPECT_EQ(log.finish["exit"], 1);
}

TEST(merge, a_missing_shard_is_named_and_makes_the_run_not_valid) {
  const Merged merged = merge({shard("1/3", "a.b"), shard("3/3", "a.c")});
  EXPECT_THAT(merged.missing, ElementsAre(2));
  EXPECT_EQ(merged.events.front()["complete"], false);
  EXPECT_EQ(merged.events.back()["exit"], 2);
}

TEST(merge, a_shard_that_was_killed_makes_the_run_not_valid) {
  Log killed = shard("1/1", "a.b");
  killed.events.pop_back();
  const Merged merged = merge({read_log_text(sample::text(killed.events), "killed")});
  EXPECT_EQ(merged.events.back()["exit"], 2);
}

TEST(merge, what_is_planned_and_has_no_verdict_counts_as_missing) {
  Log cut = shard("1/1", "a.b");
  cut.events.resize(5);
  EXPECT_EQ(merge({read_log_text(sample::text(cut.events), "cut")}).events.back()["counts"],
            json({{"missing", 1}}));
}

TEST(merge, logs_that_do_not_belong_together_are_refused) {
  const Log one = shard("1/2", "a.b");
  EXPECT_THAT(refusal({one, shard("2/2", "a.c", {{"torch", "2.15.0"}})}),
              HasSubstr("torch \"2.14.1+cu130\" and"));
  EXPECT_THAT(refusal({one, shard("2/2", "a.c", {{"binaries", {{"a", "x"}}}})}), HasSubstr("case binaries"));
  EXPECT_THAT(refusal({one, shard("2/3", "a.c")}), HasSubstr("one of 2 shards, 2/3.ndjson one of 3"));
  EXPECT_THAT(refusal({one, shard("1/2", "a.c")}), HasSubstr("both shard 1/2"));
  EXPECT_THAT(refusal({one, shard("2/2", "a.b")}),
              HasSubstr("a.b is planned in 1/2.ndjson and in 2/2.ndjson"));
  EXPECT_THAT(refusal({}), HasSubstr("at least one log"));
  const Log whole = read_log_text(sample::text({sample::run()}), "whole");
  EXPECT_THAT(refusal({whole}), HasSubstr("found a whole run"));
}

TEST(merge, the_command_never_overwrites_and_says_what_is_missing) {
  test::TestFolder folder;
  write_log(folder / "one.ndjson", shard("1/2", "a.b").events);
  std::ostringstream out, err;
  const MergeOptions options{.logs = {folder / "one.ndjson"}, .out = folder / "all.ndjson"};
  EXPECT_EQ(merge_command(options, out, err), 2);
  EXPECT_EQ(err.str(), "not a valid run: shard 2 of 2 missing\n");
  EXPECT_THAT(out.str(), HasSubstr("1 shards, 1 as_expected\nwrote "));
  err.str("");
  EXPECT_EQ(merge_command(options, out, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("never overwritten"));
}

}  // namespace
}  // namespace cudasem
