#include "shell_word.h"

#include <gtest/gtest.h>

#include "process.h"

namespace cudasem {
namespace {

TEST(shell_word, what_is_safe_stays_readable) {
  EXPECT_EQ(shell_word("build/torch-2.14.1+cu130/cases"), "build/torch-2.14.1+cu130/cases");
}

TEST(shell_word, a_shell_gets_back_every_text) {
  SubprocessSet set;
  for (const std::string text :
       {"", "a b", "it's", "$HOME `x` \"y\"", "~/x", "a;b|c&d", "*?[]{}()<>!#\\", "…", "\n"}) {
    const Finished done = run_to_end(set, {.argv = {"/bin/sh", "-c", "printf %s " + shell_word(text)}},
                                     std::chrono::seconds(20));
    EXPECT_EQ(done.out, text);
  }
}

}  // namespace
}  // namespace cudasem
