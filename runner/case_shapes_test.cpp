#include "case_shapes.h"

#include <gmock/gmock.h>

namespace cudasem {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> in(const std::string& source) {
  std::vector<Problem> problems;
  CaseShapes().add("cases/a/b.cpp", source, problems);
  std::vector<std::string> texts;
  for (const auto& problem : problems) texts.push_back(text(problem));
  return texts;
}

TEST(case_shapes, names_literals_comments_and_layout_do_not_make_a_case) {
  EXPECT_THAT(
      in("CASE(a, one, .title = \"x (1\") {\n  const Tensor x = make(2);  // two\n  check(x, \"y\");\n}\n\n"
         "OBSERVE(a, two,\n        .title = \"y\") {\n  const Tensor other = read(30);\n"
         "  expect(other,\n         \"a\" \"b\");\n}\n"),
      ElementsAre("cases/a/b.cpp:6: error: a.two is the code of a.one (cases/a/b.cpp:1) with other names and "
                  "literals: one of them shows nothing new; merge them, or show the difference"));
}

TEST(case_shapes, another_statement_operator_or_keyword_makes_one) {
  const std::string one = "CASE(a, one, .title = \"x\") {\n  f(x);\n}\n";
  for (const char* body : {"f(x); f(x);", "f(x, y);", "f(-x);", "return f(x);", "if (x) f(x);", "f(x)[0];"})
    EXPECT_THAT(in(one + "CASE(a, two, .title = \"y\") {\n  " + body + "\n}\n"), IsEmpty()) << body;
}

TEST(case_shapes, a_number_is_no_name) {
  EXPECT_THAT(in("CASE(a, one, .title = \"x\") {\n  f(x);\n}\nCASE(a, two, .title = \"y\") {\n  f(3);\n}\n"),
              IsEmpty());
}

TEST(case_shapes, copies_in_another_file_are_found) {
  CaseShapes shapes;
  std::vector<Problem> problems;
  shapes.add("cases/a/b.cpp", "MISUSE(a, one, .title = \"x\") {\n  f(x);\n}\n", problems);
  EXPECT_THAT(problems, IsEmpty());
  shapes.add("cases/c/d.cpp", "// the same\nMISUSE(c, two, .title = \"y\") {\n  g(y);\n}\n", problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].file, "cases/c/d.cpp");
  EXPECT_EQ(problems[0].line, 2);
}

TEST(case_shapes, rows_of_one_table_may_be_alike) {
  EXPECT_THAT(in("MEASURE(a, one, .title = \"x\") {\n  rows(1);\n}\nMEASURE(a, two, .title = \"y\") {\n  "
                 "rows(2);\n}\n"),
              IsEmpty());
}

}  // namespace
}  // namespace cudasem
