#include "source_rules.h"

#include <gmock/gmock.h>

#include "test_folder.h"

namespace cudasem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> in(const std::string& file, const std::string& source) {
  std::vector<std::string> result;
  for (const auto& problem : check_source(file, source)) result.push_back(text(problem));
  return result;
}

std::vector<std::string> in_case(const std::string& source) {
  return in("cases/a/b.cpp", source);
}

TEST(source_rules, sleeping_is_refused_everywhere_under_cases) {
  for (const char* call :
       {"sleep(1);", "usleep (1);", "nanosleep(&t, nullptr);", "std::this_thread::sleep_for(x);",
        "std::this_thread::sleep_until(x);", "at::cuda::sleep(1000);", "_cuda_sleep(1);"}) {
    EXPECT_THAT(in_case(call), ElementsAre(HasSubstr("sleeping is no synchronisation"))) << call;
    EXPECT_THAT(in("cases/support/x.h", call), testing::SizeIs(1)) << call;
    EXPECT_THAT(in("runner/x.cpp", call), IsEmpty()) << call;
  }
}

TEST(source_rules, a_word_that_only_contains_sleep_is_fine) {
  EXPECT_THAT(in_case("asleep(1); sleeping(); int sleep;"), IsEmpty());
}

TEST(source_rules, assertions_on_time_are_refused) {
  for (const char* line : {"EXPECT_LT(elapsed, 3);", "expect_equal(duration_cast<ms>(d).count(), 3);",
                           "require(chrono::now() < end);", "ASSERT_GT(x.elapsed(), 1);"})
    EXPECT_THAT(in_case(line), ElementsAre(HasSubstr("no assertion on time"))) << line;
  EXPECT_THAT(in_case("auto elapsed = now() - start;\nfact(\"ms\", elapsed);\nEXPECT_EQ(x, 1);"), IsEmpty());
}

TEST(source_rules, error_texts_are_refused_in_cases_but_not_in_their_support) {
  for (const char* line :
       {"EXPECT_EQ(e.what(), x);", "e->msg();", "e.what_without_backtrace();",
        "EXPECT_THAT(x, HasSubstr(\"y\"));", "if (text.find(\"lost\") != npos)", "strstr(a, b)"}) {
    EXPECT_THAT(in_case(line), testing::SizeIs(1)) << line;
    EXPECT_THAT(in("cases/support/x.cpp", line), IsEmpty()) << line;
  }
  EXPECT_THAT(in_case("map.find(key); attempt(\"item\", f); whatever();"), IsEmpty());
}

TEST(source_rules, comments_and_literals_are_no_code) {
  EXPECT_THAT(in_case("// sleep(1)\n/* usleep(1);\n e.what() */\nMARK(\"sleep(1)\", 'x', R\"x(e.what())\" "
                      "sleep(1))x\");"),
              IsEmpty());
  EXPECT_THAT(in_case("f(\"\\\"\", '\"', 1'000'000); sleep(1); // x"), testing::SizeIs(1));
}

TEST(source_rules, the_line_is_named) {
  EXPECT_THAT(in_case("/* a\n b */ int x;\n\nsleep(1);\n"),
              ElementsAre(HasSubstr("cases/a/b.cpp:4: error: ")));
}

TEST(source_rules, blanking_moves_nothing) {
  EXPECT_EQ(code_only("a \"b\\\"c\" d // e\nf /* g\n */ h '\\'' R\"(i)\" j"),
            "a \"    \" d     \nf     \n    h '  ' R\"   \" j");
  for (const char* unfinished : {"\"abc", "/* abc", "R\"(abc", "R\"abc", "'", "\"\\", "//"})
    EXPECT_EQ(code_only(unfinished).size(), std::string_view(unfinished).size()) << unfinished;
}

TEST(source_rules, a_file_over_500_lines_is_two_ideas) {
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += "\n";
  EXPECT_THAT(in("runner/x.cpp", lines), IsEmpty());
  EXPECT_THAT(in("runner/x.cpp", lines + "\n"), ElementsAre(HasSubstr("runner/x.cpp: error: 501 lines")));
}

TEST(source_rules, copies_of_a_case_are_found_across_files) {
  test::TestFolder folder;
  folder.write("cases/a/x.cpp", "CASE(a, one, .title = \"x\") {\n  f(x);\n}\n");
  folder.write("cases/b/y.cpp", "CASE(b, two, .title = \"y\") {\n  g(y);\n}\n");
  folder.write("cases/support/z.cpp", "CASE(c, three, .title = \"z\") {\n  h(z);\n}\n");
  const auto problems = check_sources(folder.path());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].file, "cases/b/y.cpp");
}

TEST(source_rules, the_whole_tree_is_looked_at) {
  test::TestFolder folder;
  folder.write("cases/b/y.cpp", "sleep(1);");
  folder.write("cases/a/x.h", "sleep(1);");
  folder.write("cases/a/notes.md", "sleep(1);");
  std::vector<std::string> files;
  for (const auto& problem : check_sources(folder.path())) files.push_back(problem.file);
  EXPECT_THAT(files, ElementsAre("cases/a/x.h", "cases/b/y.cpp"));
  EXPECT_THAT(check_sources("/nowhere"), IsEmpty());
}

}  // namespace
}  // namespace cudasem
