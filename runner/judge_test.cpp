#include "judge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "expectation_parser.h"
#include "sample_log.h"

namespace cudasem {
namespace {

using testing::HasSubstr;
using enum Verdict;

const Subject subject{.torch = "2.14.1+cu130"};

Expectation entry(const std::string& lines) {
  std::vector<Problem> problems;
  const std::string head = "[[expect]]\ncase = 'a.b'\nwhy = 'w'\nlink = 'https://l'\n";
  auto entries = parse_expectations(parse_toml(head + lines), "expected/a.toml", problems);
  EXPECT_FALSE(has_errors(problems)) << text(problems.front());
  return entries.at(0);
}

/// An observation of each outcome, all at "a".
Observed seen(Outcome outcome) {
  Observed observed{.outcome = outcome, .at = outcome == Outcome::ok ? "" : "a"};
  if (outcome == Outcome::error)
    observed.effects = {{.outcome = outcome, .at = "a", .type = "t", .code = 900}};
  if (outcome == Outcome::corrupt)
    observed.effects = {{.outcome = outcome, .at = "a", .want = "20", .got = "2"}};
  if (outcome == Outcome::crash) observed.signal = "SIGABRT";
  if (outcome == Outcome::skip) observed.detail = "unsupported";
  return observed;
}

/// The entry that foretells exactly `seen(outcome)`.
Expectation foretelling(Outcome outcome) {
  switch (outcome) {
    case Outcome::error:
      return entry("outcome = 'error'\nat = 'a'\ncode = 900");
    case Outcome::corrupt:
      return entry("outcome = 'corrupt'\nat = 'a'\nwant = 20\ngot = 2");
    case Outcome::crash:
      return entry("outcome = 'crash'\nat = 'a'\nsignal = 'SIGABRT'");
    case Outcome::hang:
      return entry("outcome = 'hang'\nat = 'a'");
    case Outcome::skip:
      return entry("outcome = 'skip'\ndetail = 'unsupported'");
    default:
      return entry("outcome = 'ok'");
  }
}

TEST(judge, a_skip_hides_nothing_that_was_seen_besides) {
  Observed observed = seen(Outcome::skip);
  EXPECT_EQ(judge(nullptr, Kind::rule, "", observed, {}).verdict, Verdict::skipped);
  observed.effects.push_back({.outcome = Outcome::error, .at = "a", .code = 700});
  EXPECT_EQ(judge(nullptr, Kind::rule, "", observed, {}).verdict, Verdict::changed);
}

constexpr Outcome expected_in_order[] = {Outcome::ok,   Outcome::error,   Outcome::crash,
                                         Outcome::hang, Outcome::corrupt, Outcome::skip};
constexpr Outcome seen_in_order[] = {Outcome::ok,      Outcome::error, Outcome::crash, Outcome::hang,
                                     Outcome::corrupt, Outcome::skip,  Outcome::fail,  Outcome::missing};
using Table = Verdict[6][8];

void expect_table(Kind kind, std::string_view way, const Table& table) {
  for (size_t row = 0; row < 6; ++row) {
    for (size_t column = 0; column < 8; ++column) {
      const auto expected = foretelling(expected_in_order[row]);
      const auto judgement = judge(&expected, kind, way, seen(seen_in_order[column]), subject);
      EXPECT_EQ(name(judgement.verdict), name(table[row][column]))
          << name(expected_in_order[row]) << " -> " << name(seen_in_order[column]);
      EXPECT_EQ(judgement.reason.empty(), judgement.verdict == as_expected);
      EXPECT_EQ(judgement.k, judgement.verdict == as_expected ? 1 : 0);
      EXPECT_EQ(judgement.n, 1);
    }
  }
}

TEST(judge, every_transition_of_a_misuse) {
  const Table table = {
      // ok        error        crash        hang         corrupt      skip         fail     missing
      {as_expected, changed, changed, changed, changed, skipped, changed, missing},              // ok
      {changed, as_expected, regression, regression, regression, skipped, changed, missing},     // error
      {changed, improvement, as_expected, regression, regression, skipped, changed, missing},    // crash
      {changed, improvement, improvement, as_expected, regression, skipped, changed, missing},   // hang
      {changed, improvement, improvement, improvement, as_expected, skipped, changed, missing},  // corrupt
      {changed, changed, changed, changed, changed, as_expected, changed, missing},              // skip
  };
  expect_table(Kind::misuse, "wrong", table);
}

const Table promise = {
    // ok        error        crash        hang         corrupt      skip         fail        missing
    {as_expected, regression, regression, regression, regression, skipped, regression, missing},  // ok
    {improvement, as_expected, changed, changed, changed, skipped, changed, missing},             // error
    {improvement, changed, as_expected, changed, changed, skipped, changed, missing},             // crash
    {improvement, changed, changed, as_expected, changed, skipped, changed, missing},             // hang
    {improvement, changed, changed, changed, as_expected, skipped, changed, missing},             // corrupt
    {improvement, changed, changed, changed, changed, as_expected, changed, missing},             // skip
};

TEST(judge, every_transition_of_a_rule) {
  expect_table(Kind::rule, "", promise);
}

TEST(judge, a_right_way_is_judged_as_a_rule) {
  expect_table(Kind::misuse, "right", promise);
}

TEST(judge, every_transition_of_what_is_only_observed) {
  const Table table = {
      // ok        error        crash        hang         corrupt      skip         fail         missing
      {as_expected, as_expected, changed, changed, as_expected, skipped, as_expected, missing},      // ok
      {as_expected, as_expected, changed, changed, as_expected, skipped, as_expected, missing},      // error
      {as_expected, as_expected, as_expected, changed, as_expected, skipped, as_expected, missing},  // crash
      {as_expected, as_expected, changed, as_expected, as_expected, skipped, as_expected, missing},  // hang
      {as_expected, as_expected, changed, changed, as_expected, skipped, as_expected, missing},  // corrupt
      {as_expected, as_expected, changed, changed, as_expected, as_expected, as_expected, missing},  // skip
  };
  expect_table(Kind::observe, "", table);
  expect_table(Kind::measure, "", table);
}

TEST(judge, a_set_up_that_failed_never_passes) {
  Observed observed = seen(Outcome::fail);
  observed.detail = "setup";
  observed.effects = {{.outcome = Outcome::fail, .setup = true}};
  for (auto outcome : expected_in_order) {
    const auto expected = foretelling(outcome);
    for (auto [kind, way] : {std::pair{Kind::misuse, "wrong"},
                             {Kind::misuse, "right"},
                             {Kind::rule, ""},
                             {Kind::observe, ""},
                             {Kind::measure, ""}})
      EXPECT_NE(judge(&expected, kind, way, observed, subject).verdict, as_expected);
  }
  EXPECT_NE(judge(nullptr, Kind::observe, "", observed, subject).verdict, as_expected);
}

TEST(judge, a_set_up_that_failed_before_a_foretold_crash_does_not_pass) {
  Observed observed = seen(Outcome::crash);
  observed.effects = {{.outcome = Outcome::fail, .setup = true}};
  EXPECT_TRUE(mismatch(foretelling(Outcome::crash), observed));
}

TEST(judge, without_an_entry_ok_is_expected_but_not_of_a_wrong_way) {
  for (auto [kind, way] :
       {std::pair{Kind::rule, ""}, {Kind::misuse, "right"}, {Kind::observe, ""}, {Kind::measure, ""}})
    EXPECT_EQ(judge(nullptr, kind, way, seen(Outcome::ok), subject).verdict, as_expected);
  EXPECT_EQ(judge(nullptr, Kind::rule, "", seen(Outcome::error), subject).verdict, regression);
  EXPECT_EQ(judge(nullptr, Kind::misuse, "wrong", seen(Outcome::skip), subject).verdict, skipped);
  const auto uncovered = judge(nullptr, Kind::misuse, "wrong", seen(Outcome::ok), subject);
  EXPECT_EQ(uncovered.verdict, changed);
  EXPECT_EQ(uncovered.reason, "no entry in expected/ covers torch 2.14.1+cu130; saw ok");
  EXPECT_THAT(
      judge(nullptr, Kind::misuse, "wrong", seen(Outcome::ok), {.torch = "2.14", .profile = "uncached"})
          .reason,
      HasSubstr("covers torch 2.14, profile uncached"));
}

TEST(judge, the_reason_says_what_was_expected_and_what_was_seen) {
  const auto expected = foretelling(Outcome::error);
  EXPECT_EQ(judge(&expected, Kind::misuse, "wrong", seen(Outcome::corrupt), subject).reason,
            "expected error 900 at \"a\"; saw corrupt at \"a\", 2 instead of 20");
  Observed crash = seen(Outcome::crash);
  crash.text = "CUDA error: x\nSearch for `cudaErrorX' in";
  EXPECT_EQ(judge(&expected, Kind::misuse, "wrong", crash, subject).reason,
            "expected error 900 at \"a\"; saw crash SIGABRT at \"a\": \"CUDA error: x\"");
}

TEST(judge, each_field_of_an_error_counts) {
  Observed observed = sample::error(900);
  observed.effects[0].text = "CUDA error: operation\nSearch for `cudaErrorX' in";
  const auto fits = [&](const std::string& lines) {
    return !mismatch(entry("outcome = 'error'\n" + lines), observed);
  };
  EXPECT_TRUE(fits("at = 'item'\ncode = 900\ntype = 'c10::AcceleratorError'\ntext = 'operation$'"));
  EXPECT_FALSE(fits("at = 'body'\ncode = 900"));
  EXPECT_FALSE(fits("at = 'item'\ncode = 901"));
  EXPECT_FALSE(fits("at = 'item'\ncode = 900\ntype = 'c10::Error'"));
  EXPECT_FALSE(fits("at = 'item'\ncode = 900\ntext = 'Search'"));
  observed.effects[0].code.reset();
  EXPECT_FALSE(fits("at = 'item'\ncode = 900"));
  EXPECT_TRUE(fits("at = 'item'\ntype = 'c10::AcceleratorError'\ntext = 'operation'"));
}

TEST(judge, a_normalised_text_in_the_log_is_what_is_searched) {
  Observed observed = sample::error(900);
  observed.effects[0].text = "raw";
  observed.effects[0].normalised = "tidy";
  EXPECT_FALSE(mismatch(entry("outcome = 'error'\nat = 'item'\ncode = 900\ntext = 'tidy'"), observed));
}

TEST(judge, each_field_of_corrupt_counts) {
  Observed observed = seen(Outcome::corrupt);
  observed.effects[0].memory_class = "stale";
  const auto fits = [&](const std::string& lines) {
    return !mismatch(entry("outcome = 'corrupt'\n" + lines), observed);
  };
  EXPECT_TRUE(fits("want = 20\ngot = 2\nat = 'a'\nclass = 'stale'"));
  EXPECT_TRUE(fits("want = 20\ngot = 'any'"));
  EXPECT_FALSE(fits("want = 21\ngot = 2"));
  EXPECT_FALSE(fits("want = 20\ngot = 3"));
  EXPECT_FALSE(fits("want = 20\ngot = 2\nat = 'b'"));
  EXPECT_FALSE(fits("want = 20\ngot = 2\nclass = 'overwritten'"));
}

TEST(judge, each_field_of_a_crash_a_hang_and_a_skip_counts) {
  Observed crash = seen(Outcome::crash);
  crash.text = "terminate called";
  EXPECT_FALSE(mismatch(entry("outcome = 'crash'\nsignal = 'SIGABRT'\nat = 'a'\ntext = 'called'"), crash));
  EXPECT_TRUE(mismatch(entry("outcome = 'crash'\nsignal = 'SIGSEGV'"), crash));
  EXPECT_TRUE(mismatch(entry("outcome = 'crash'\nsignal = 'SIGABRT'\nat = 'exit'"), crash));
  EXPECT_TRUE(mismatch(entry("outcome = 'crash'\nsignal = 'SIGABRT'\ntext = 'recalled'"), crash));
  EXPECT_TRUE(mismatch(entry("outcome = 'crash'\nexit = 3"), crash));
  crash.signal = "";
  crash.exit = 3;
  EXPECT_FALSE(mismatch(entry("outcome = 'crash'\nexit = 3"), crash));
  EXPECT_TRUE(mismatch(entry("outcome = 'crash'\nexit = 4"), crash));
  EXPECT_TRUE(mismatch(entry("outcome = 'hang'\nat = 'b'"), seen(Outcome::hang)));
  EXPECT_TRUE(mismatch(entry("outcome = 'skip'\ndetail = 'harmful'"), seen(Outcome::skip)));
}

TEST(judge, a_skip_for_another_reason_is_skipped) {
  const auto expected = entry("outcome = 'skip'\ndetail = 'harmful'");
  EXPECT_EQ(judge(&expected, Kind::misuse, "wrong", seen(Outcome::skip), subject).verdict, skipped);
}

TEST(judge, all_further_effects_count_in_their_order) {
  const auto two = entry(
      "outcome = 'error'\nat = 'item'\ncode = 900\nthen = [{ outcome = 'error', at = 'x', code = 901 }, "
      "{ outcome = 'corrupt', want = 1, got = 2 }]");
  Observed observed = sample::error(900);
  const Effect lost{.outcome = Outcome::error, .at = "x", .code = 901},
      bad{.outcome = Outcome::corrupt, .want = "1", .got = "2"};
  const auto verdict = [&](std::vector<Effect> further) {
    observed.effects.resize(1);
    observed.effects.insert(observed.effects.end(), further.begin(), further.end());
    return judge(&two, Kind::misuse, "wrong", observed, subject).verdict;
  };
  EXPECT_EQ(verdict({lost, bad}), as_expected);
  EXPECT_EQ(verdict({bad, lost}), changed);
  EXPECT_EQ(verdict({lost}), changed);
  EXPECT_EQ(verdict({}), changed);
  EXPECT_EQ(verdict({lost, bad, lost}), changed);
  EXPECT_FALSE(mismatch(entry("outcome = 'error'\nat = 'item'\ncode = 900"), sample::error(900)));
  EXPECT_TRUE(mismatch(entry("outcome = 'error'\nat = 'item'\ncode = 900"), observed));
}

TEST(judge, what_was_recorded_before_a_crash_or_hang_counts_as_further) {
  for (auto [outcome, line] :
       {std::pair{Outcome::crash, "signal = 'SIGABRT'"}, {Outcome::hang, "at = 'a'"}}) {
    Observed observed = seen(outcome);
    observed.effects = {{.outcome = Outcome::error, .at = "x", .code = 700}};
    const std::string first = fmt::format("outcome = '{}'\n{}", name(outcome), line);
    EXPECT_TRUE(mismatch(entry(first), observed));
    EXPECT_FALSE(mismatch(entry(first + "\nthen = [{ outcome = 'error', at = 'x', code = 700 }]"), observed));
  }
}

TEST(judge, a_fact_must_be_reported_and_match) {
  const auto expected = entry("outcome = 'ok'\nfacts = { n = 6, m = { min = 1, max = 3 }, w = 'x' }");
  const auto verdict = [&](std::map<std::string, nlohmann::json> facts) {
    Observed observed = sample::ok();
    observed.facts = std::move(facts);
    return judge(&expected, Kind::rule, "", observed, subject).verdict;
  };
  EXPECT_EQ(verdict({{"n", 6}, {"m", 3}, {"w", "x"}, {"other", 1}}), as_expected);
  EXPECT_EQ(verdict({{"n", 6.0}, {"m", 1}, {"w", "x"}}), as_expected);
  EXPECT_EQ(verdict({{"n", 7}, {"m", 3}, {"w", "x"}}), changed);
  EXPECT_EQ(verdict({{"n", 6}, {"m", 3.5}, {"w", "x"}}), changed);
  EXPECT_EQ(verdict({{"n", 6}, {"m", 0}, {"w", "x"}}), changed);
  EXPECT_EQ(verdict({{"n", 6}, {"m", "2"}, {"w", "x"}}), changed);
  EXPECT_EQ(verdict({{"n", 6}, {"m", 3}, {"w", "y"}}), changed);
  EXPECT_EQ(verdict({{"n", 6}, {"m", 3}}), changed);
  EXPECT_EQ(*mismatch(expected, sample::ok()), "expected fact m = 1 to 3, but it was not reported");
}

TEST(judge, a_demanded_warning_must_be_there_and_others_do_not_matter) {
  const auto expected = entry("outcome = 'ok'\nwarning = 'graph is empty'");
  Observed observed = sample::ok();
  EXPECT_EQ(judge(&expected, Kind::rule, "", observed, subject).verdict, changed);
  observed.warnings = {"deprecated"};
  EXPECT_EQ(*mismatch(expected, observed), "expected a warning with /graph is empty/, saw \"deprecated\"");
  observed.warnings.push_back("The CUDA graph is empty at /x/y.cpp:3");
  EXPECT_FALSE(mismatch(expected, observed));
  EXPECT_FALSE(mismatch(entry("outcome = 'ok'"), observed));
}

TEST(judge, any_member_of_one_of_will_do) {
  const auto expected =
      entry("one_of = [{ outcome = 'error', at = 'a', code = 900 }, { outcome = 'hang', at = 'a' }]");
  const auto verdict = [&](Outcome outcome) {
    return judge(&expected, Kind::misuse, "wrong", seen(outcome), subject).verdict;
  };
  EXPECT_EQ(verdict(Outcome::error), as_expected);
  EXPECT_EQ(verdict(Outcome::hang), as_expected);
  EXPECT_EQ(verdict(Outcome::corrupt), regression);  // more silent than all
  EXPECT_EQ(verdict(Outcome::crash), changed);       // in between
  EXPECT_EQ(verdict(Outcome::ok), changed);
}

TEST(judge, louder_than_every_member_of_one_of_is_an_improvement) {
  const auto expected =
      entry("one_of = [{ outcome = 'corrupt', want = 1, got = 2 }, { outcome = 'hang', at = 'a' }]");
  EXPECT_EQ(judge(&expected, Kind::misuse, "wrong", seen(Outcome::crash), subject).verdict, improvement);
  const auto with_ok = entry("one_of = [{ outcome = 'ok' }, { outcome = 'hang', at = 'b' }]");
  EXPECT_EQ(judge(&with_ok, Kind::misuse, "wrong", seen(Outcome::error), subject).verdict, changed);
  EXPECT_EQ(judge(&with_ok, Kind::rule, "", seen(Outcome::error), subject).verdict, changed);
}

TEST(judge, repeats_agree_or_are_flaky) {
  const Judgement good{as_expected, "", 1, 1}, bad{changed, "x", 0, 1}, worse{regression, "y", 0, 1};
  EXPECT_EQ(combine({good, good}).verdict, as_expected);
  EXPECT_EQ(combine({good, good}).k, 2);
  const auto flaky_one = combine({good, bad, good});
  EXPECT_EQ(flaky_one.verdict, flaky);
  EXPECT_EQ(flaky_one.k, 2);
  EXPECT_EQ(flaky_one.n, 3);
  EXPECT_EQ(flaky_one.reason, "2 of 3 repeats were as expected; otherwise: x");
  EXPECT_EQ(combine({bad, worse}).verdict, regression);
  EXPECT_EQ(combine({bad, worse}).reason, "y");
  EXPECT_EQ(combine({}).verdict, missing);
  EXPECT_EQ(combine({}).n, 0);
}

TEST(judge, a_long_text_is_cut_between_characters) {
  Observed observed = seen(Outcome::crash);
  for (int i = 0; i < 300; ++i) observed.text += "ü";
  EXPECT_NO_THROW(nlohmann::json(text(observed)).dump());
  EXPECT_LT(text(observed).size(), 250u);
}

TEST(judge, several_attempts_are_waived_if_each_that_is_not_fine_is) {
  const Judgement fine{.verdict = Verdict::as_expected, .k = 1}, plain{.verdict = Verdict::changed};
  Judgement waived{.verdict = Verdict::regression};
  waived.waived = Waiver{.owner = "graphs"};
  EXPECT_EQ(counted_as(combine({waived, waived})), "waived");
  EXPECT_EQ(counted_as(combine({fine, waived})), "waived");
  EXPECT_EQ(combine({fine, waived}).verdict, Verdict::flaky);
  EXPECT_EQ(counted_as(combine({waived, plain})), "regression");
  EXPECT_TRUE(are_fine({{"as_expected", 1}, {"waived", 2}, {"skipped", 3}}));
  EXPECT_FALSE(are_fine({{"as_expected", 1}, {"flaky", 1}}));
}

}  // namespace
}  // namespace cudasem
