// The command line of a case binary (runner/INTERPRETING.md section 3). Without options of ours it is a
// GoogleTest program, so that --gtest_filter and a debugger work as usual.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <torch/headeronly/version.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catalog.h"
#include "support/environment.h"
#include "support/probe.h"
#include "support/put_back.h"
#include "support/record.h"

extern "C" std::uint64_t aoti_torch_abi_version();

namespace cudasem {
namespace {

/// Makes a failed GoogleTest assertion a record.
class RecordFailures : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    record({{"record", "observe"},
            {"outcome", "fail"},
            {"at", std::string(result.file_name() ? result.file_name() : "") + ":" +
                       std::to_string(result.line_number())},
            {"setup", false},
            {"text", result.message()}});
  }
};

std::string release_of(std::uint64_t abi) {
  return std::to_string(abi >> 56) + "." + std::to_string(abi >> 48 & 0xff) + "." +
         std::to_string(abi >> 40 & 0xff);
}

/// The loader accepts another release's libraries and fails much later, inside a case: so look before
/// anything runs.
bool loaded_what_it_was_built_for(const char* program) {
  const std::uint64_t loaded = aoti_torch_abi_version();
  if (loaded == TORCH_ABI_VERSION) return true;
  std::fprintf(stderr,
               "%s: built for libtorch %s, loaded libtorch %s. Point --torch or LD_LIBRARY_PATH at %s, or "
               "build for %s.\n",
               program, release_of(TORCH_ABI_VERSION).c_str(), release_of(loaded).c_str(),
               release_of(TORCH_ABI_VERSION).c_str(), release_of(loaded).c_str());
  return false;
}

/// `id` goes into the filter as it is: ids have no character that a filter reads as a pattern.
void run_one(const std::string& id) {
  testing::GTEST_FLAG(filter) = id;
  [[maybe_unused]] const int failures = RUN_ALL_TESTS();  // each of them has been recorded
}

/// Says what `id` left that cannot be put back; whether nothing is.
bool clean_after(const std::string& id, FreshState& fresh) {
  const auto dirt = fresh.put_back();
  for (const auto& what : dirt) record({{"record", "dirt"}, {"case", id}, {"what", what}});
  return dirt.empty();
}

int run(const std::vector<std::string>& ids, int fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a case that hangs must not outlive a runner that was killed
  record_to(fd);
  record({{"record", "hello"}, {"protocol", 1}, {"built_for", TORCH_VERSION}});
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new RecordFailures);
  FreshState fresh;
  for (const auto& id : ids) {
    run_one(id);
    if (ids.size() > 1 && !clean_after(id, fresh)) break;  // the runner starts the rest anew
  }
  record({{"record", "bye"}});
  std::fflush(nullptr);
  _exit(0);  // how libtorch takes itself down is no part of a case
}

int usage(const char* program) {
  std::fprintf(stderr, "usage: %s --list | --probe | --run ID [ID...] --record-fd N | [GoogleTest options]\n",
               program);
  return 64;
}

}  // namespace
}  // namespace cudasem

int main(int argc, char** argv) {
  using namespace cudasem;
  const std::string first = argc > 1 ? argv[1] : "";
  if (!loaded_what_it_was_built_for(argv[0])) return 3;
  if (first == "--list") {
    std::puts(catalog_json().c_str());
    return 0;
  }
  if (first == "--probe") {
    std::puts(probe_json().c_str());
    std::fflush(nullptr);
    _exit(0);
  }
  if (first == "--run") {
    if (argc < 5 || std::string(argv[argc - 2]) != "--record-fd") return usage(argv[0]);
    restart_in_environment_of(argv[2], argv);
    char program[] = "cudasem";
    char* arguments[] = {program, nullptr};
    int count = 1;
    testing::InitGoogleTest(&count, arguments);
    return run({argv + 2, argv + argc - 2}, std::atoi(argv[argc - 1]));
  }
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) return usage(argv[0]);
  return RUN_ALL_TESTS();
}
