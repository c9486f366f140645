#include "front_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "test_folder.h"

namespace cudasem {
namespace {

using test::TestFolder;
using test::WithEnvironment;
using testing::ElementsAre;
using testing::HasSubstr;

/// A stand-in for Python: `script` is what it does.
struct FakePython : TestFolder {
  explicit FakePython(const std::string& script) {
    write("python", "#!/bin/sh\n" + script + "\n");
    chmod((*this / "python").c_str(), 0755);
  }
};

std::string problem(const std::string& python) {
  const WithEnvironment choice{{"CUDASEM_PYTHON", python}};
  SubprocessSet set;
  return find_python(set).problem;
}

TEST(FrontDoor, KnowsItsCommandsAndNoOthers) {
  for (const char* command : {"report", "diff", "matrix", "pools"})
    EXPECT_TRUE(is_front_door(command)) << command;
  EXPECT_FALSE(is_front_door("run"));
}

TEST(FrontDoor, MissingPythonSaysWhatToDo) {
  EXPECT_THAT(problem("/nowhere/python"),
              testing::AllOf(HasSubstr("/nowhere/python"), HasSubstr("CUDASEM_PYTHON")));
}

TEST(FrontDoor, MissingJinja2SaysWhatToDo) {
  const FakePython python("echo \"ModuleNotFoundError: No module named 'jinja2'\" >&2; exit 1");
  EXPECT_THAT(problem(python / "python"),
              testing::AllOf(HasSubstr("Jinja2"), HasSubstr("pip install jinja2")));
}

TEST(FrontDoor, PythonThatFindsJinja2IsFine) {
  const FakePython python("exit 0");
  EXPECT_EQ(problem(python / "python"), "");
}

TEST(FrontDoor, PassesArgumentsAndExitStatusThrough) {
  const FakePython python("[ \"$1\" = -c ] && exit 0; echo \"$PYTHONPATH|$*\" > \"$0.said\"; exit 9");
  const WithEnvironment choice{{"CUDASEM_PYTHON", python / "python"}, {"PYTHONPATH", ""}};
  EXPECT_EQ(front_door({"report", "a log.ndjson", "--html"}), 9);
  EXPECT_EQ(test::read_file(python / "python.said"),
            CUDASEM_SOURCE_DIR "/reports|-m cudasem_reports report a log.ndjson --html\n");
}

TEST(FrontDoor, DiffTakesItsExpectationsOut) {
  const DiffRequest spaced = take_expected({"diff", "a.ndjson", "--expected", "expected", "b.ndjson"});
  EXPECT_THAT(spaced.args, ElementsAre("diff", "a.ndjson", "b.ndjson"));
  EXPECT_EQ(spaced.expected, "expected");
  EXPECT_EQ(take_expected({"diff", "--expected=e"}).expected, "e");
  EXPECT_EQ(take_expected({"diff", "a", "b"}).expected, "");
}

}  // namespace
}  // namespace cudasem
