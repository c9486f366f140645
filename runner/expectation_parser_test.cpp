#include "expectation_parser.h"

#include <gmock/gmock.h>

namespace cudasem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string reasons = "why = 'w'\nlink = 'https://l'\n";

struct Parsed {
  std::vector<Expectation> entries;
  std::vector<std::string> problems;
};

Parsed parse(const std::string& document) {
  Parsed result;
  std::vector<Problem> problems;
  result.entries = parse_expectations(parse_toml(document), "expected/replay.toml", problems);
  for (const auto& problem : problems) result.problems.push_back(text(problem));
  return result;
}

/// All problems of one entry for replay.x/wrong with reasons and these lines.
std::vector<std::string> problems_of(const std::string& lines) {
  return parse("[[expect]]\ncase = 'replay.x/wrong'\n" + reasons + lines).problems;
}

TEST(expectation_parser, an_entry_is_read_with_all_its_fields) {
  const auto parsed = parse(R"(
[[expect]]
case = "replay.x/wrong"
torch = ">=2.11, <2.14"
cuda = ">=13.0"
profile = "uncached"
outcome = "error"
at = "item"
code = 900
text = "capturing"
then = [{ outcome = "error", at = "end", type = "c10::Error", text = "lost" },
        { outcome = "corrupt", want = 20, got = 2.5, class = "stale", at = "y" }]
facts = { reserved_MiB = 6, nodes = { min = 1, max = 3 }, word = "w", flag = true }
warning = "empty"
why = "because"
link = "https://docs"
)");
  EXPECT_THAT(parsed.problems, IsEmpty());
  ASSERT_EQ(parsed.entries.size(), 1u);
  const auto& entry = parsed.entries.front();
  EXPECT_EQ(entry.id, "replay.x/wrong");
  EXPECT_EQ(entry.where(), "expected/replay.toml:2");
  EXPECT_EQ(entry.conditions.text(), "torch >=2.11, <2.14; cuda >=13.0; profile uncached");
  EXPECT_EQ(text(entry),
            "error 900 at \"item\" with /capturing/, then error c10::Error at \"end\" with /lost/, then "
            "corrupt (stale) at \"y\", 2.5 instead of 20");
  EXPECT_EQ(entry.facts.at("reserved_MiB").exact, 6);
  EXPECT_EQ(entry.facts.at("nodes").min, 1);
  EXPECT_EQ(entry.facts.at("nodes").max, 3);
  EXPECT_EQ(entry.facts.at("word").exact, "w");
  EXPECT_EQ(entry.facts.at("flag").exact, true);
  EXPECT_EQ(entry.warning->written(), "empty");
  EXPECT_EQ(entry.why, "because");
  EXPECT_EQ(entry.link, "https://docs");
}

TEST(expectation_parser, what_suffices_for_each_outcome) {
  for (const char* lines :
       {"outcome = 'ok'", "outcome = 'error'\nat = 'a'\ncode = 0",
        "outcome = 'error'\nat = 'a'\ntype = 't'\ntext = 'x'",
        "outcome = 'corrupt'\nwant = '20'\ngot = 'any'", "outcome = 'crash'\nsignal = 'SIGABRT'",
        "outcome = 'crash'\nexit = 1\nat = 'exit'\ntext = 'x'", "outcome = 'hang'\nat = 'a'",
        "outcome = 'skip'\ndetail = 'unsupported'",
        "one_of = [{ outcome = 'ok' }, { outcome = 'corrupt', want = 1, got = 2, then = [{ outcome = "
        "'error', at = 'a', "
        "code = 1 }] }]"})
    EXPECT_THAT(problems_of(lines), IsEmpty()) << lines;
}

struct Mistake {
  const char* lines;
  const char* message;
};

TEST(expectation_parser, each_mistake_is_named_once) {
  const Mistake mistakes[] = {
      {"", "`outcome` is missing"},
      {"outcome = 'fine'",
       "`outcome` is \"fine\": one of ok, error, corrupt, crash, hang, skip was expected"},
      {"outcome = 'fail'", "`fail` cannot be expected"},
      {"outcome = 'missing'", "`missing` cannot be expected"},
      {"outcome = 3", "`outcome` is a whole number: a string was expected"},
      {"outcome = 'ok'\nat = 'a'", "`at` does not belong to an expectation of `ok`"},
      {"outcome = 'ok'\nthen = []", "`then` does not belong to an expectation of `ok`"},
      {"outcome = 'ok'\nmeasured = true", "`measured` does not belong"},
      {"outcome = 'error'\ncode = 1", "`at` is missing"},
      {"outcome = 'error'\nat = 'a'", "an error needs `code`"},
      {"outcome = 'error'\nat = 'a'\ntype = 't'", "`text` is missing"},
      {"outcome = 'error'\nat = 'a'\ntext = 't'", "`type` is missing"},
      {"outcome = 'error'\nat = 'a'\ncode = '900'", "`code` is a string: a whole number was expected"},
      {"outcome = 'error'\nat = 'a'\ncode = 1\ntext = '('", "\"(\" is no regular expression"},
      {"outcome = 'corrupt'\nwant = 1", "`got` is missing"},
      {"outcome = 'corrupt'\ngot = 1", "`want` is missing"},
      {"outcome = 'corrupt'\nwant = 1\ngot = 2\nclass = 'old'", "one of overwritten, stale, unordered"},
      {"outcome = 'crash'", "a crash needs `signal`"},
      {"outcome = 'crash'\nsignal = 'ABRT'", "`signal` is \"ABRT\": one of SIGABRT"},
      {"outcome = 'crash'\nexit = 0", "`exit` is 0: a status from 1 to 255"},
      {"outcome = 'crash'\nexit = 1\nsignal = 'SIGABRT'", "`signal` or `exit`, not both"},
      {"outcome = 'hang'", "`at` is missing"},
      {"outcome = 'skip'", "`detail` is missing"},
      {"outcome = 'skip'\ndetail = 'lazy'", "one of unsupported, resource, harmful"},
      {"outcome = 'hang'\nat = 'a'\nthen = [{ outcome = 'crash', signal = 'SIGABRT' }]",
       "one of error, corrupt"},
      {"outcome = 'hang'\nat = 'a'\nthen = [{ at = 'a' }]", "`outcome` is missing"},
      {"outcome = 'hang'\nat = 'a'\nthen = [{ outcome = 'error', at = 'a', code = 1, then = [] }]",
       "`then` does not belong"},
      {"outcome = 'hang'\nat = 'a'\nthen = { outcome = 'error' }",
       "`then` is a table: a list of tables was expected"},
      {"one_of = [{ outcome = 'ok' }]", "`one_of` needs two members"},
      {"one_of = [{ outcome = 'ok' }, { outcome = 'ok' }]\noutcome = 'ok'",
       "`outcome` does not belong to an entry with"},
      {"one_of = [{ outcome = 'ok' }, { outcome = 'ok', facts = {} }]", "`facts` does not belong"},
      {"outcome = 'ok'\nfacts = { n = { most = 1, min = 0 } }",
       "`most` does not belong to the range of fact `n`"},
      {"outcome = 'ok'\nfacts = { n = {} }", "the range of fact `n` needs `min` or `max`"},
      {"outcome = 'ok'\nfacts = { n = { min = 3, max = 1 } }", "no number is between 3 and 1"},
      {"outcome = 'ok'\nfacts = { n = { min = 'x' } }", "`min` of fact `n` is \"x\": a number was expected"},
      {"outcome = 'ok'\nfacts = { n = [1] }", "fact `n` is a list"},
      {"outcome = 'ok'\nfacts = 3", "`facts` is a whole number: a table was expected"},
      {"outcome = 'ok'\nwarning = '['", "is no regular expression"},
      {"outcome = 'ok'\ntorch = '<2.11, >=2.13'", "`torch`: no version is in the range \"<2.11, >=2.13\""},
      {"outcome = 'ok'\ncuda = 13", "`cuda` is a whole number: a string was expected"},
      {"outcome = 'ok'\ngpus = '2'", "`gpus`: \"2\" starts with \"\""},
      {"outcome = 'ok'\nprofile = 'two words'", "`profile` is \"two words\": one word was expected"},
      {"outcome = 'ok'\nbug = true", "`bug` and `review_by` stand together"},
      {"outcome = 'ok'\nreview_by = 2027-06-01", "`bug` and `review_by` stand together"},
      {"outcome = 'ok'\nbug = true\nreview_by = '2027-06-01'", "a date without quotes"},
      {"outcome = 'ok'\nbug = false\nreview_by = 2027-06-01", "`bug` is true or left out"},
  };
  for (const auto& [lines, message] : mistakes)
    EXPECT_THAT(problems_of(lines), ElementsAre(HasSubstr(message))) << lines;
}

TEST(expectation_parser, reasons_are_needed_unless_a_rule_is_ok) {
  const auto needs = [](const std::string& id, const std::string& lines) {
    return parse("[[expect]]\ncase = '" + id + "'\n" + lines).problems;
  };
  EXPECT_THAT(needs("replay.x", "outcome = 'ok'"), IsEmpty());
  EXPECT_THAT(needs("replay.x/right", "outcome = 'ok'"), IsEmpty());
  EXPECT_THAT(needs("replay.x/wrong", "outcome = 'ok'"),
              ElementsAre(HasSubstr("`why` is missing: a misuse")));
  EXPECT_THAT(needs("replay.x", "outcome = 'hang'\nat = 'a'"),
              ElementsAre(HasSubstr("`why` is missing"), HasSubstr("`link` is missing")));
  EXPECT_THAT(needs("replay.x", "outcome = 'hang'\nat = 'a'\nwhy = 'w'\nlink = 'notes'"),
              ElementsAre(HasSubstr("a public https:// address was expected")));
}

TEST(expectation_parser, an_id_has_an_area_a_name_and_perhaps_a_way) {
  const auto with_id = [](const std::string& id) {
    return parse("[[expect]]\ncase = '" + id + "'\noutcome = 'ok'\n");
  };
  for (const char* id :
       {"replay", "replay.", ".x", "replay.x/", "replay.x/both", "replay.x/wrong/right", "replay.x y"}) {
    EXPECT_THAT(with_id(id).problems, testing::Contains(HasSubstr("area.name/wrong or /right was expected")))
        << id;
    EXPECT_THAT(with_id(id).entries, IsEmpty());
  }
  EXPECT_THAT(with_id("capture.x").problems,
              ElementsAre(HasSubstr("capture.x belongs in expected/capture.toml")));
}

TEST(expectation_parser, all_mistakes_of_all_entries_are_reported) {
  EXPECT_THAT(
      parse("[[expect]]\ncase = 'replay.x'\noutcome = 'hang'\n[[expect]]\ntorch = 'new'\noutcome = 'ok'\n")
          .problems,
      ElementsAre(HasSubstr("toml:1: error: `at`"), HasSubstr("toml:1: error: `why`"),
                  HasSubstr("toml:1: error: `link`"), HasSubstr("toml:4: error: `case`"),
                  HasSubstr("toml:5: error: `torch`")));
}

TEST(expectation_parser, nothing_but_entries_stands_in_a_file) {
  EXPECT_THAT(parse("[[expected]]\ncase = 'replay.x'\n").problems,
              ElementsAre(HasSubstr("`expected` does not belong")));
}

}  // namespace
}  // namespace cudasem
