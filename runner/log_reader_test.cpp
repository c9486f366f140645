#include "log_reader.h"

#include <gmock/gmock.h>

#include "rejudge.h"
#include "sample_log.h"
#include "test_folder.h"

namespace cudasem {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<json> whole_run() {
  return {sample::run(),
          sample::machine(),
          sample::subject(),
          sample::plan("a.b/wrong"),
          sample::plan("a.c"),
          sample::begin("a.b/wrong", 1),
          sample::end("a.b/wrong", sample::error(900)),
          sample::verdict("a.b/wrong", "as_expected"),
          sample::begin("a.c"),
          sample::end("a.c", sample::ok()),
          sample::verdict("a.c", "as_expected"),
          sample::finish()};
}

Log read(const std::vector<json>& events) {
  return read_log_text(sample::text(events), "x.ndjson");
}

std::string packed(const std::vector<json>& events) {
  test::TestFolder folder;
  write_log(folder / "x.ndjson.gz", events);
  return test::read_file(folder / "x.ndjson.gz");
}

std::string refusal(const std::string& bytes) {
  try {
    read_log_text(bytes, "x.ndjson");
  } catch (const LogError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(log_reader, a_whole_log_is_read) {
  const auto log = read(whole_run());
  EXPECT_EQ(log.run["id"], "r1");
  EXPECT_EQ(log.torch(), "2.14.1+cu130");
  EXPECT_EQ(log.finish["exit"], 0);
  EXPECT_EQ(log.events.size(), 12u);
  ASSERT_EQ(log.entries.size(), 2u);
  EXPECT_EQ(log.entries[0].id(), "a.b/wrong");
  EXPECT_EQ(log.entries[0].way(), "wrong");
  EXPECT_EQ(log.entries[0].kind(), Kind::misuse);
  EXPECT_EQ(log.entries[0].hash(), "h1");
  EXPECT_EQ(log.entries[0].attempts.at(0).effects.at(0).code, 900);
  EXPECT_EQ(log.entries[0].verdict["verdict"], "as_expected");
  EXPECT_EQ(log.entries[1].way(), "");
  EXPECT_EQ(log.find(sample::key("a.c")), &log.entries[1]);
  EXPECT_EQ(log.find("none"), nullptr);
}

TEST(log_reader, the_subject_is_that_of_the_gpu_in_use) {
  const auto log = read(whole_run());
  const Subject& used = log.entries[0].subject;
  EXPECT_EQ(used.torch, "2.14.1+cu130");
  EXPECT_EQ(used.cuda, "13.0");
  EXPECT_EQ(used.driver, "580.159.03");
  EXPECT_EQ(used.cc, "10.0");
  EXPECT_EQ(used.gpus, 2);
  EXPECT_EQ(used.profile, "native");
  EXPECT_EQ(log.entries[1].subject.cc, "9.0");
}

TEST(log_reader, attempts_stand_in_their_order) {
  auto events = whole_run();
  events.push_back(sample::end("a.c", sample::error(700)));
  const auto log = read(events);
  ASSERT_EQ(log.entries[1].attempts.size(), 2u);
  EXPECT_EQ(log.entries[1].attempts.back().outcome, Outcome::error);
}

TEST(log_reader, a_planned_case_without_an_end_has_no_attempt) {
  EXPECT_THAT(
      read({sample::run(), sample::machine(), sample::subject(), sample::plan("a.c")}).entries.at(0).attempts,
      IsEmpty());
}

TEST(log_reader, a_log_cut_at_any_byte_has_what_was_complete) {
  const std::string text = sample::text(whole_run());
  for (size_t length = 0; length <= text.size(); ++length) {
    const auto part = std::string_view(text).substr(0, length);
    const auto lines = static_cast<size_t>(std::count(part.begin(), part.end(), '\n'));
    ASSERT_EQ(read_log_text(part, "x").events.size(), lines) << length;
  }
}

TEST(log_reader, a_compressed_log_cut_at_any_byte_is_a_beginning_of_the_whole) {
  const auto events = whole_run();
  const std::string bytes = packed(events);
  size_t most = 0;
  for (size_t length = 0; length <= bytes.size(); ++length) {
    const auto log = read_log_text(std::string_view(bytes).substr(0, length), "x");
    ASSERT_GE(log.events.size(), most) << length;
    most = log.events.size();
    for (size_t i = 0; i < most; ++i) ASSERT_EQ(log.events[i], events[i]);
  }
  EXPECT_EQ(most, events.size());
}

TEST(log_reader, compressed_parts_one_after_the_other_are_one_log) {
  const auto events = whole_run();
  const std::vector<json> first(events.begin(), events.begin() + 5), second(events.begin() + 5, events.end());
  EXPECT_EQ(read_log_text(packed(first) + packed(second), "x").events, events);
}

TEST(log_reader, damaged_compressed_bytes_are_an_error) {
  std::string bytes = packed(whole_run());
  bytes[bytes.size() / 2] = static_cast<char>(~bytes[bytes.size() / 2]);
  EXPECT_THAT(refusal(bytes), HasSubstr("x.ndjson"));
  EXPECT_THAT(refusal(packed(whole_run()) + "rest"), HasSubstr("gzip data are damaged after"));
}

TEST(log_reader, a_broken_line_before_the_last_is_reported_with_its_place) {
  const std::string good = sample::text({sample::run()});
  EXPECT_THAT(refusal(good + "{\"event\": \n" + good),
              HasSubstr("x.ndjson:2: an event (one JSON object a line) was expected"));
  EXPECT_THAT(refusal(good + "[]\n"), HasSubstr("x.ndjson:2: "));
  EXPECT_THAT(refusal(good + "{}\n"),
              HasSubstr("x.ndjson:2: the event has a member that is missing or wrong"));
  EXPECT_THAT(
      refusal(good + sample::text({sample::plan("a.c"), {{"event", "end"}, {"key", sample::key("a.c")}}})),
      HasSubstr("x.ndjson:3: the event has a member that is missing or wrong"));
  EXPECT_THAT(refusal(good + sample::text({sample::begin("a.c")})), HasSubstr("which was not planned"));
}

TEST(log_reader, a_newer_schema_is_refused) {
  auto newer = sample::run();
  newer["schema"] = 2;
  EXPECT_THAT(refusal(sample::text({newer})),
              HasSubstr("the log has schema 2, this program reads up to 1: use a newer cudasem"));
}

TEST(log_reader, a_schema_that_an_int_cannot_hold_is_newer_and_no_number_is_refused) {
  auto run = sample::run();
  for (const char* schema : {"4294967297", "18446744073709551615"}) {
    run["schema"] = json::parse(schema);
    EXPECT_THAT(refusal(sample::text({run})), HasSubstr("use a newer cudasem")) << schema;
  }
  for (const char* schema : {"0", "-1", "1.0", "true", "\"1\"", "null"}) {
    run["schema"] = json::parse(schema);
    EXPECT_THAT(refusal(sample::text({run})), HasSubstr("a whole number from 1 on was expected")) << schema;
  }
}

TEST(log_reader, a_second_run_of_the_same_id_is_a_resumption_and_of_another_refused) {
  auto events = whole_run();
  auto again = sample::run();
  again["profile"] = "other";
  events.push_back(again);
  const auto log = read(events);
  EXPECT_EQ(log.run["profile"], "native");
  EXPECT_TRUE(log.finish.is_null());
  events.back()["id"] = "r2";
  EXPECT_THAT(refusal(sample::text(events)),
              HasSubstr("x.ndjson:13: a second run, \"r2\", in the log of \"r1\""));
}

TEST(log_reader, a_line_nested_without_end_is_refused) {
  auto end = sample::end("a.c", sample::ok()).dump();
  end.insert(end.size() - 1, ",\"x\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']'));
  EXPECT_THAT(refusal(sample::text({sample::run(), sample::plan("a.c")}) + end + "\n"),
              HasSubstr("x.ndjson:3: nested more than"));
}

TEST(log_reader, an_event_of_another_name_is_kept_and_otherwise_ignored) {
  const auto log = read({sample::run(), {{"event", "weather"}}});
  EXPECT_EQ(log.events.size(), 2u);
}

TEST(log_reader, what_does_not_start_with_a_run_is_no_log) {
  EXPECT_THAT(refusal(sample::text({sample::machine()})),
              HasSubstr("this is no event log: it must start with `run`"));
}

TEST(log_reader, a_file_that_is_not_there_is_named) {
  EXPECT_THROW(read_log("/nowhere/x.ndjson"), LogError);
}

TEST(log_reader, logs_of_a_folder_are_found_by_name) {
  test::TestFolder folder;
  for (const char* name : {"b/y.ndjson.gz", "a.ndjson", "readme.md"}) folder.write(name, "");
  EXPECT_THAT(find_logs(folder.path()), ElementsAre(folder / "a.ndjson", folder / "b/y.ndjson.gz"));
  EXPECT_THAT(find_logs("/nowhere"), IsEmpty());
}

}  // namespace
}  // namespace cudasem
