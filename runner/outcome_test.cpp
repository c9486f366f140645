#include "outcome.h"

#include <gmock/gmock.h>

namespace cudasem {
namespace {

using nlohmann::json;

TEST(outcome, every_word_is_read_back) {
  for (auto outcome : {Outcome::ok, Outcome::error, Outcome::corrupt, Outcome::fail, Outcome::crash,
                       Outcome::hang, Outcome::skip, Outcome::missing})
    EXPECT_EQ(parse_outcome(name(outcome)), outcome);
  for (auto kind : {Kind::rule, Kind::misuse, Kind::observe, Kind::measure})
    EXPECT_EQ(parse_kind(name(kind)), kind);
  for (auto verdict : {Verdict::as_expected, Verdict::regression, Verdict::improvement, Verdict::changed,
                       Verdict::flaky, Verdict::missing, Verdict::skipped})
    EXPECT_EQ(parse_verdict(name(verdict)), verdict);
}

TEST(outcome, another_word_is_nothing) {
  EXPECT_EQ(parse_outcome("OK"), std::nullopt);
  EXPECT_EQ(parse_kind(""), std::nullopt);
  EXPECT_EQ(parse_verdict("as expected"), std::nullopt);
}

TEST(outcome, an_effect_has_only_the_fields_that_apply) {
  EXPECT_EQ(
      to_json(Effect{.outcome = Outcome::error, .at = "item", .type = "c10::AcceleratorError", .code = 900}),
      json({{"outcome", "error"}, {"at", "item"}, {"type", "c10::AcceleratorError"}, {"code", 900}}));
  EXPECT_EQ(to_json(Effect{
                .outcome = Outcome::corrupt, .at = "y", .memory_class = "stale", .want = "20", .got = "2"}),
            json({{"outcome", "corrupt"}, {"at", "y"}, {"class", "stale"}, {"want", "20"}, {"got", "2"}}));
  EXPECT_EQ(to_json(Effect{.outcome = Outcome::fail, .text = "x", .normalised = "x", .setup = true}),
            json({{"outcome", "fail"}, {"text", "x"}, {"normalised", "x"}, {"setup", true}}));
}

Observed everything() {
  Observed observed;
  observed.outcome = Outcome::crash;
  observed.detail = "d";
  observed.at = "exit";
  observed.text = "what";
  observed.effects = {
      {.outcome = Outcome::error, .at = "a", .type = "t", .code = 0, .text = "x", .normalised = "y"},
      {.outcome = Outcome::corrupt, .memory_class = "unordered", .want = "1", .got = "nan"},
      {.outcome = Outcome::fail, .setup = true}};
  observed.rows = {{{"table", "t"}, {"cells", {{"k", 2}}}}};
  observed.facts = {{"n", 6}, {"word", "w"}, {"real", 0.5}};
  observed.warnings = {"w"};
  observed.signal = "SIGABRT";
  return observed;
}

TEST(outcome, what_was_observed_survives_json) {
  const json once = to_json(everything());
  EXPECT_EQ(to_json(observed_from_json(once)), once);
  EXPECT_EQ(observed_from_json(once).effects[0].code, 0);
  EXPECT_EQ(observed_from_json(once).signal, "SIGABRT");
}

TEST(outcome, signal_and_exit_are_null_when_absent) {
  const json nothing = to_json(Observed{});
  EXPECT_TRUE(nothing.at("signal").is_null());
  EXPECT_TRUE(nothing.at("exit").is_null());
  EXPECT_EQ(to_json(Observed{.exit = 0}).at("exit"), 0);
}

TEST(outcome, any_bytes_can_be_written) {
  Observed observed = everything();
  observed.text = observed.at = observed.effects[0].text = observed.warnings[0] = std::string("\xff\0", 2);
  EXPECT_NO_THROW(to_json(observed).dump());
}

TEST(outcome, a_member_that_is_missing_or_mistyped_throws) {
  json missing = to_json(everything()), mistyped = missing, unknown = missing;
  missing.erase("facts");
  mistyped["warnings"] = 3;
  unknown["outcome"] = "fine";
  EXPECT_THROW(observed_from_json(missing), json::exception);
  EXPECT_THROW(observed_from_json(mistyped), json::exception);
  EXPECT_THROW(observed_from_json(unknown), json::exception);
  EXPECT_THROW(effect_from_json(json::object()), json::exception);
}

}  // namespace
}  // namespace cudasem
