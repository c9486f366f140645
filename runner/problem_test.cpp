#include "problem.h"

#include <gtest/gtest.h>

namespace cudasem {
namespace {

TEST(problem, reads_as_compilers_write_it) {
  EXPECT_EQ(text(Problem{Severity::error, "expected/replay.toml", 14, "x"}),
            "expected/replay.toml:14: error: x");
  EXPECT_EQ(text(Problem{Severity::warning, "expected/replay.toml", 0, "x"}),
            "expected/replay.toml: warning: x");
  EXPECT_EQ(text(Problem{Severity::error, "", 0, "x"}), "error: x");
}

TEST(problem, warnings_are_no_errors) {
  EXPECT_FALSE(has_errors({}));
  EXPECT_FALSE(has_errors({{Severity::warning, "", 0, ""}}));
  EXPECT_TRUE(has_errors({{Severity::warning, "", 0, ""}, {Severity::error, "", 0, ""}}));
}

}  // namespace
}  // namespace cudasem
