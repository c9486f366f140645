// Turning every oracle against itself, to see that it can fail: with CUDASEM_MUTATED=1 in the environment a
// comparison holds exactly where it did not, and a wanted value is another one. The set-up (`require`) stays
// as it is. A rule that is still `ok` then has no oracle.
#pragma once

#include <gtest/gtest.h>

namespace cudasem {

/// Whether this process runs its oracles turned.
bool mutated();

/// What GoogleTest's macros see instead of `result`.
inline testing::AssertionResult turned(testing::AssertionResult result) {
  return mutated() ? !result << "this oracle was turned against itself" : result;
}

}  // namespace cudasem

// The two macros through which all of GoogleTest's comparisons go, as in its own headers but for turned().
#undef GTEST_ASSERT_
#define GTEST_ASSERT_(expression, on_failure)                                    \
  GTEST_AMBIGUOUS_ELSE_BLOCKER_                                                  \
  if (const ::testing::AssertionResult gtest_ar = ::cudasem::turned(expression)) \
    ;                                                                            \
  else                                                                           \
    on_failure(gtest_ar.failure_message())

#undef GTEST_TEST_BOOLEAN_
#define GTEST_TEST_BOOLEAN_(expression, text, actual, expected, fail) \
  GTEST_AMBIGUOUS_ELSE_BLOCKER_                                       \
  if (const ::testing::AssertionResult gtest_ar_ =                    \
          ::cudasem::turned(::testing::AssertionResult(expression)))  \
    ;                                                                 \
  else                                                                \
    fail(::testing::internal::GetBoolAssertionFailureMessage(gtest_ar_, text, #actual, #expected).c_str())
