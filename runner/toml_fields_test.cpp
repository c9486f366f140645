#include "toml_fields.h"

#include <gmock/gmock.h>

namespace cudasem {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class toml_fields : public testing::Test {
 protected:
  std::vector<std::string> messages() const {
    std::vector<std::string> result;
    for (const auto& problem : problems) result.push_back(text(problem));
    return result;
  }

  TomlTree tree = parse_toml(
      "s = 'x'\nn = 6\nreal = 2.5\nflag = true\nday = 2027-06-01\nlist = [{ a = 1 }, 2]\nempty = ' '\n");
  std::vector<Problem> problems = {};
  TomlFields fields{tree, "f.toml", problems};
};

TEST_F(toml_fields, values_of_the_right_type_are_read) {
  EXPECT_EQ(fields.string("s"), "x");
  EXPECT_EQ(fields.whole_number("n"), 6);
  EXPECT_EQ(fields.flag("flag"), true);
  EXPECT_EQ(fields.date("day"), "2027-06-01");
  EXPECT_EQ(fields.value_text("s"), "x");
  EXPECT_EQ(fields.value_text("n"), "6");
  EXPECT_EQ(fields.value_text("real"), "2.5");
  EXPECT_EQ(fields.word("s", {"x", "y"}), "x");
  EXPECT_THAT(messages(), IsEmpty());
}

TEST_F(toml_fields, an_absent_key_is_nothing_and_no_problem) {
  EXPECT_EQ(fields.string("none"), std::nullopt);
  EXPECT_EQ(fields.whole_number("none"), std::nullopt);
  EXPECT_THAT(fields.tables("none"), IsEmpty());
  EXPECT_EQ(fields.table("none"), nullptr);
  EXPECT_THAT(messages(), IsEmpty());
}

TEST_F(toml_fields, another_type_is_nothing_and_a_problem) {
  EXPECT_EQ(fields.string("n"), std::nullopt);
  EXPECT_EQ(fields.whole_number("real"), std::nullopt);
  EXPECT_EQ(fields.date("s"), std::nullopt);
  EXPECT_THAT(
      messages(),
      ElementsAre("f.toml:2: error: `n` is a whole number: a string was expected",
                  "f.toml:3: error: `real` is a number: a whole number was expected",
                  "f.toml:1: error: `s` is a string: a date without quotes (2027-06-01) was expected"));
}

TEST_F(toml_fields, a_list_of_tables_holds_nothing_else) {
  EXPECT_EQ(fields.tables("list").size(), 1u);
  EXPECT_THAT(messages(),
              ElementsAre("f.toml:6: error: `list` contains a whole number: only tables were expected"));
}

TEST_F(toml_fields, a_word_outside_the_vocabulary_is_reported_with_it) {
  EXPECT_EQ(fields.word("s", {"a", "b"}), std::nullopt);
  EXPECT_THAT(messages(), ElementsAre("f.toml:1: error: `s` is \"x\": one of a, b was expected"));
}

TEST_F(toml_fields, a_key_that_does_not_belong_is_reported) {
  fields.only({"s", "n", "real", "flag", "day", "list"}, "a test");
  EXPECT_THAT(messages(),
              ElementsAre("f.toml:7: error: `empty` does not belong to a test: it may have s, n, real, flag, "
                          "day, list"));
}

TEST_F(toml_fields, what_is_needed_must_be_there_and_not_blank) {
  fields.need("s", "because");
  fields.need("empty", "it is said");
  fields.need("none", "it is missed");
  EXPECT_THAT(messages(), ElementsAre("f.toml:7: error: `empty` is missing: it is said",
                                      "f.toml:1: error: `none` is missing: it is missed"));
}

}  // namespace
}  // namespace cudasem
