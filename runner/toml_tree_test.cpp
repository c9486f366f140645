#include "toml_tree.h"

#include <gmock/gmock.h>

namespace cudasem {
namespace {

TEST(toml_tree, everything_knows_its_line) {
  const auto tree =
      parse_toml("[[expect]]\ncase = 'a.b'\nthen = [\n  { code = 901 },\n]\n[[expect]]\nfacts = { n = 1 }\n");
  const auto& entries = *tree.find("expect")->as<TomlTree::Array>();
  EXPECT_EQ(entries[0].line, 1);
  EXPECT_EQ(entries[0].find("case")->line, 2);
  EXPECT_EQ(entries[0].find("then")->as<TomlTree::Array>()->front().find("code")->line, 4);
  EXPECT_EQ(entries[1].line, 6);
  EXPECT_EQ(entries[1].find("facts")->find("n")->line, 7);
}

TEST(toml_tree, each_type_is_told_apart) {
  const auto tree = parse_toml("s = 'x'\nw = 6\nr = 6.0\nb = true\nd = 2027-06-01\nl = []\nt = {}\n");
  EXPECT_EQ(*tree.find("s")->as<std::string>(), "x");
  EXPECT_EQ(*tree.find("w")->as<long long>(), 6);
  EXPECT_EQ(*tree.find("r")->as<double>(), 6.0);
  EXPECT_TRUE(*tree.find("b")->as<bool>());
  EXPECT_EQ(tree.find("d")->as<TomlTree::Date>()->text, "2027-06-01");
  EXPECT_EQ(tree.find("w")->as<std::string>(), nullptr);
  for (auto [key, kind] : {std::pair{"s", "a string"},
                           {"w", "a whole number"},
                           {"r", "a number"},
                           {"b", "true or false"},
                           {"d", "a date"},
                           {"l", "a list"},
                           {"t", "a table"}})
    EXPECT_EQ(tree.find(key)->kind(), kind);
  EXPECT_EQ(tree.find("none"), nullptr);
}

TEST(toml_tree, what_is_no_toml_says_on_which_line) {
  try {
    parse_toml("a = 1\nb = \n");
    FAIL() << "accepted";
  } catch (const TomlError& error) {
    EXPECT_EQ(error.line, 2);
    EXPECT_STRNE(error.what(), "");
  }
}

}  // namespace
}  // namespace cudasem
