// How cases make themselves known: the macros, their metadata, and the list of all cases of this executable.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace cudasem {

enum class Kind { rule, misuse, observe, measure };
/// Whether a case has a process of its own or shares one with others of its area (`run --stress` says which
/// has earned that). `right_shared`: the right way of a misuse shares, its wrong way does not.
enum class Isolation { process, shared, right_shared, exclusive };

/// What a case needs to be shown at all. The default is one GPU.
struct Needs {
  int gpus = 1;                                 ///< 0: runs on the host alone
  std::vector<std::string_view> features = {};  ///< names from support/features.h
  bool caching = false;                         ///< PyTorch's own caching allocator, not cudaMallocAsync
};

/// What stands beside a case. Closed: a new field is a change of the contract.
struct Meta {
  std::string_view title = {};                ///< the fact, as a sentence from which the outcome can be told
  std::vector<std::string_view> claims = {};  ///< ids in expected/claims/
  std::vector<std::string_view> links = {};   ///< bug reports and documents beyond the claims
  Needs needs = {};
  /// Variables that libtorch reads when it is loaded: the program starts itself anew with them. What is read
  /// later the case sets itself.
  std::vector<std::pair<std::string_view, std::string_view>> env = {};
  Isolation isolation = Isolation::process;
  double time_limit_s = 10;  ///< from `begin`
};

/// Registers one case at start-up: as GoogleTest tests, and in cases().
class Registered {
 public:
  using Body = void (*)();
  using MisuseBody = void (*)(bool wrong);
  Registered(Kind kind, const char* area, const char* name, const char* file, int line, Body body, Meta meta);
  Registered(Kind kind, const char* area, const char* name, const char* file, int line, MisuseBody body,
             Meta meta);
};

}  // namespace cudasem

#define CUDASEM_REGISTER_(kind, area, name, ...)                                  \
  [[maybe_unused]] static const ::cudasem::Registered area##_##name##_registered( \
      ::cudasem::Kind::kind, #area, #name, __FILE__, __LINE__, &area##_##name, ::cudasem::Meta{__VA_ARGS__})

#define CUDASEM_CASE_(kind, area, name, ...)        \
  static void area##_##name();                      \
  CUDASEM_REGISTER_(kind, area, name, __VA_ARGS__); \
  static void area##_##name()

/// A documented promise: CASE(area, name, .title = "…", .claims = {"…"}) { body }
#define CASE(area, name, ...) CUDASEM_CASE_(rule, area, name, __VA_ARGS__)

/// What documents are silent on or contradict each other about: recorded and compared, never judged.
#define OBSERVE(area, name, ...) CUDASEM_CASE_(observe, area, name, __VA_ARGS__)

/// Fills a table.
#define MEASURE(area, name, ...) CUDASEM_CASE_(measure, area, name, __VA_ARGS__)

/// A misuse: one body with two ways through it, told apart by the parameter `wrong` on as few lines as
/// possible.
#define MISUSE(area, name, ...)                       \
  static void area##_##name(bool wrong);              \
  CUDASEM_REGISTER_(misuse, area, name, __VA_ARGS__); \
  static void area##_##name(const bool wrong)
