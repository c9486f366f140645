// All that a case includes: how to declare one (CASE, MISUSE, OBSERVE, MEASURE) and what it can say.
//
// A case shows one fact. It performs and reports what it saw; what it should have seen stands in
// expected/<area>.toml. runner/INTERPRETING.md is the contract; CONTRIBUTING.md shows how to add one.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/mutation.h"
#include "support/registry.h"

namespace cudasem {

// --- the set-up: what must hold for the case to mean anything; otherwise it ends as `fail (setup)` ---

/// Ends the case unless `holds`. `what` says in words what should have been true.
void require(bool holds, std::string_view what, const char* file = __builtin_FILE(),
             int line = __builtin_LINE());

/// Ends the case unless every element of `tensor` is `want`. Waits for the current stream.
void require_equal(const at::Tensor& tensor, double want, const char* file = __builtin_FILE(),
                   int line = __builtin_LINE());

// --- oracles: what the case is about (GoogleTest's own EXPECT_ macros are oracles too) ---

/// Every element of `tensor` is `want`. Waits for the current stream.
void expect_equal(const at::Tensor& tensor, double want, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE());

/// Both have the same shape, device, dtype and values.
void expect_equal(const at::Tensor& got, const at::Tensor& want, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE());

/// An oracle on memory: if some element of `tensor` is not `want`, the outcome is `corrupt`, with the first
/// value that differs. Its class is `stale` where nothing was written since fill_canary, `unordered` where
/// some elements are right and others not, `overwritten` otherwise. A macro, so that the outcome names the
/// expression.
#define expect_intact(tensor, want) ::cudasem::check_intact(#tensor, tensor, want)
void check_intact(std::string_view expression, const at::Tensor& tensor, double want);

/// What no case computes. Memory that still holds it was not written.
inline constexpr double kCanary = -7777;

/// Overwrites `tensor` with kCanary, so that what an earlier step left there cannot pass for a result.
void fill_canary(at::Tensor& tensor);

// --- what may be refused ---

/// Runs `fn`. What it throws is recorded under `label`, and the case goes on. Returns whether it went
/// through.
template <typename Fn>
bool attempt(std::string_view label, Fn&& fn);

// --- what is worth knowing ---

/// A number or word to compare between runs (pools in a graph, bytes reserved …).
void fact(std::string_view key, std::int64_t value);
void fact(std::string_view key, double value);
void fact(std::string_view key, std::string_view value);

/// One value in a row of a table.
using Cell = std::variant<std::int64_t, double, bool, std::string>;

/// A row of `table`, for MEASURE cases: what a report sets in columns. Values that differ from run to run
/// (times) belong here, never in a fact.
void row(std::string_view table, const std::vector<std::pair<std::string, Cell>>& cells);

/// Where the case is: a crash or a hang is reported at the last mark or attempt.
void mark(std::string_view label);

/// Ends the case: this machine or release cannot show it (`unsupported`), has too little free (`resource`),
/// or must not be made to (`harmful`).
[[noreturn]] void skip_unsupported(std::string_view why);
[[noreturn]] void skip_resource(std::string_view why);
[[noreturn]] void skip_harmful(std::string_view why);

/// Records the exception that is being handled as an error at `label`. What attempt does; rarely needed
/// alone.
void record_current_exception(std::string_view label);

/// Thrown to end a case early; derives from nothing, so that no handler in a library takes it for an error.
struct CaseEnded {};

template <typename Fn>
bool attempt(std::string_view label, Fn&& fn) {
  mark(label);
  try {
    fn();
    return true;
  } catch (const CaseEnded&) {
    throw;
  } catch (...) {
    record_current_exception(label);
    return false;
  }
}

}  // namespace cudasem

// Cases are the only users of this header: what they say should read without prefixes.
using namespace cudasem;  // NOLINT(google-build-using-namespace)
using at::Tensor;
