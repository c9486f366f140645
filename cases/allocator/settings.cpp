#include <c10/core/AllocatorConfig.h>

#include <cstdlib>

#include "case.h"

using c10::CachingAllocator::AcceleratorAllocatorConfig;
using c10::CachingAllocator::getAllocatorSettings;
using c10::CachingAllocator::setAllocatorSettings;

MISUSE(allocator, unknown_setting,
       .title = "A string with an unknown allocator setting is refused, yet the settings before it are "
                "applied",
       .claims = {"conf.unknown-option", "conf.syntax"}, .needs = {.gpus = 0}) {
  setAllocatorSettings("max_split_size_mb:64");
  require(AcceleratorAllocatorConfig::max_split_size() == 64 << 20, "a setting can be made without a GPU");

  const char* last = wrong ? ",split_size_max_mb:40"           // don't: there is no such setting …
                           : ",max_non_split_rounding_mb:40";  // … this one exists
  attempt("setAllocatorSettings", [&] { setAllocatorSettings(std::string("max_split_size_mb:32") + last); });
  fact("max_split_size_MiB", static_cast<std::int64_t>(AcceleratorAllocatorConfig::max_split_size() >> 20));
}

MISUSE(allocator, values_out_of_range,
       .title = "Allocator settings with values out of range are refused, one by one, as c10::ValueError",
       .claims = {"conf.max_split.minimum", "conf.gc.range", "conf.roundup.pow2-only", "conf.large_segment_size_mb"},
       .needs = {.gpus = 0}) {
  const auto set = [](const std::string& setting) {
    attempt(setting.substr(0, setting.find(':')), [&] { setAllocatorSettings(setting); });
  };
  set(wrong ? "max_split_size_mb:19" : "max_split_size_mb:20");
  set(wrong ? "garbage_collection_threshold:0" : "garbage_collection_threshold:0.8");
  set(wrong ? "roundup_power2_divisions:3" : "roundup_power2_divisions:4");
  set(wrong ? "large_segment_size_mb:10" : "large_segment_size_mb:20");
  set(wrong ? "expandable_segments:true" : "expandable_segments:True");  // don't: the word is True
}

OBSERVE(allocator, gc_threshold_documented_default,
        .title = "garbage_collection_threshold:1.0, the documented default, is refused; the default in "
                 "force is 0",
        .claims = {"conf.gc.default", "conf.gc.range"}, .needs = {.gpus = 0}) {
  fact("default", AcceleratorAllocatorConfig::garbage_collection_threshold());
  attempt("setAllocatorSettings", [] { setAllocatorSettings("garbage_collection_threshold:1.0"); });
  fact("afterwards", AcceleratorAllocatorConfig::garbage_collection_threshold());
}

MISUSE(allocator, number_expected,
       .title = "A setting that is no number is a bare std::invalid_argument, which c10::Error handlers miss",
       .claims = {"conf.syntax"}, .needs = {.gpus = 0}) {
  attempt("setAllocatorSettings", [&] {
    try {
      setAllocatorSettings(wrong ? "max_split_size_mb:large" : "max_split_size_mb:32");  // don't: digits
    } catch (const c10::Error&) {
      fact("caught_as", "c10::Error");
    }
  });
}

MISUSE(allocator, backend_at_run_time,
       .title = "setAllocatorSettings() cannot change the backend: an internal assert, or silence on "
                "2.11; the old one stays",
       .claims = {"conf.backend.values", "conf.backend.default", "alloc.backend.name"},
       .needs = {.gpus = 0, .caching = true}) {
  require(c10::cuda::CUDACachingAllocator::get()->name() == "native", "native is the default backend");
  const std::string backend = wrong ? "cudaMallocAsync" : "native";  // don't: only the environment can choose
  attempt("setAllocatorSettings", [&] { setAllocatorSettings("backend:" + backend); });
  EXPECT_EQ(c10::cuda::CUDACachingAllocator::get()->name(), "native");
}

OBSERVE(allocator, both_environment_variables,
        .title = "With both variables set PYTORCH_CUDA_ALLOC_CONF, the alias, wins over PYTORCH_ALLOC_CONF",
        .claims = {"conf.name"}, .needs = {.gpus = 0}) {
  setenv("PYTORCH_ALLOC_CONF", "max_split_size_mb:64", 1);
  setenv("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:32", 1);
  // The first use of any setting reads the environment, once.
  const auto in_force = AcceleratorAllocatorConfig::max_split_size() >> 20;
  unsetenv("PYTORCH_ALLOC_CONF");
  unsetenv("PYTORCH_CUDA_ALLOC_CONF");
  fact("winner", in_force == 32   ? "PYTORCH_CUDA_ALLOC_CONF"
                 : in_force == 64 ? "PYTORCH_ALLOC_CONF"
                                  : "neither");
  fact("getAllocatorSettings", getAllocatorSettings());
}

MISUSE(allocator, bad_environment_variable,
       .title = "A bad PYTORCH_ALLOC_CONF fails at the first use of a setting, not when the process starts",
       .claims = {"conf.name", "conf.max_split.minimum"}, .needs = {.gpus = 0}) {
  unsetenv("PYTORCH_CUDA_ALLOC_CONF");  // the alias, which would win
  setenv("PYTORCH_ALLOC_CONF", wrong ? "max_split_size_mb:19" : "max_split_size_mb:20", 1);
  attempt("first use", [] { AcceleratorAllocatorConfig::max_split_size(); });
  attempt("second use", [] { AcceleratorAllocatorConfig::max_split_size(); });
  unsetenv("PYTORCH_ALLOC_CONF");
  attempt("after unsetenv", [] { AcceleratorAllocatorConfig::max_split_size(); });
}

MISUSE(allocator, settings_made_one_by_one,
       .title = "Each setAllocatorSettings() takes back limit, rounding and threshold of the one before: they belong in one "
                "string",
       .claims = {"conf.syntax"}, .links = {"https://github.com/pytorch/pytorch/blob/main/test/test_cuda.py"},
       .needs = {.gpus = 0}) {
  setAllocatorSettings("max_split_size_mb:64");
  // don't: this is not added to the first
  setAllocatorSettings(wrong ? "garbage_collection_threshold:0.5"
                             : "max_split_size_mb:64,garbage_collection_threshold:0.5");
  fact("split_limit", AcceleratorAllocatorConfig::max_split_size() == 64 << 20 ? "64 MiB" : "none");
  fact("threshold", AcceleratorAllocatorConfig::garbage_collection_threshold());
}
