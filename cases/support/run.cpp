// Cases as GoogleTest tests: what stands around the body of one.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>

#include <nlohmann/json.hpp>

#include "case.h"
#include "support/catalog.h"
#include "support/record.h"

namespace cudasem {
namespace {

/// Records every warning of this thread, also those that are given once a process.
class RecordWarnings : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override {
    record({{"record", "warning"}, {"text", warning.msg()}});
  }
};

std::int64_t allocated_bytes() {
  if (!c10::cuda::CUDACachingAllocator::get()->initialized()) return 0;
  std::int64_t bytes = 0;
  for (c10::DeviceIndex device = 0; device < c10::cuda::device_count(); ++device) {
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(device);
    bytes +=
        stats.allocated_bytes[static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE)].current;
  }
  return bytes;
}

void run_body(const Case& the_case, bool wrong) {
  try {
    if (the_case.is_misuse()) {
      std::get<Registered::MisuseBody>(the_case.body)(wrong);
    } else {
      std::get<Registered::Body>(the_case.body)();
    }
  } catch (const CaseEnded&) {  // recorded where it was thrown
  } catch (...) {
    record_current_exception("body");
  }
}

/// One way of one case.
class CaseTest : public testing::Test {
 public:
  CaseTest(std::size_t index, bool wrong) : the_case_(cases()[index]), wrong_(wrong) {}

  void TestBody() override {
    std::string id = the_case_.full_name();
    if (the_case_.is_misuse()) id += wrong_ ? "/wrong" : "/right";
    record({{"record", "begin"}, {"case", id}, {"hash", hash_of(the_case_)}});
    RecordWarnings warnings;
    const c10::WarningUtils::WarningHandlerGuard handler(&warnings);
    const c10::WarningUtils::WarnAlways always(true);
    const std::int64_t before = allocated_bytes();
    run_body(the_case_, wrong_);
    const std::int64_t left = allocated_bytes() - before;
    if (left != 0) fact("memory_left_bytes", left);
    record({{"record", "end"}, {"case", id}});
  }

 private:
  const Case& the_case_;
  bool wrong_;
};

void register_way(std::size_t index, bool wrong, const char* suffix) {
  const Case& the_case = cases()[index];
  const std::string area(the_case.area);
  const std::string name = std::string(the_case.name) + suffix;
  testing::RegisterTest(area.c_str(), name.c_str(), nullptr, nullptr, std::string(the_case.file).c_str(),
                        the_case.line,
                        [index, wrong]() -> testing::Test* { return new CaseTest(index, wrong); });
}

}  // namespace

Registered::Registered(Kind kind, const char* area, const char* name, const char* file, int line, Body body,
                       Meta meta) {
  cases().push_back({kind, area, name, file, line, body, std::move(meta)});
  register_way(cases().size() - 1, false, "");
}

Registered::Registered(Kind kind, const char* area, const char* name, const char* file, int line,
                       MisuseBody body, Meta meta) {
  cases().push_back({kind, area, name, file, line, body, std::move(meta)});
  register_way(cases().size() - 1, true, "/wrong");
  register_way(cases().size() - 1, false, "/right");
}

}  // namespace cudasem
