#include "profiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <algorithm>
#include <string_view>

namespace cudasem {

namespace {

// This name of the two is understood by every release, and wins where both are set.
constexpr const char* kAllocatorSettings = "PYTORCH_CUDA_ALLOC_CONF";
constexpr const char* kNoCaching = "PYTORCH_NO_CUDA_MEMORY_CACHING";
constexpr const char* kLaunchBlocking = "CUDA_LAUNCH_BLOCKING";

std::string_view variable(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

}  // namespace

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all = {
      {"native", {}},
      {"expandable_segments", {{kAllocatorSettings, "expandable_segments:True"}}},
      {"cuda_malloc_async", {{kAllocatorSettings, "backend:cudaMallocAsync"}}},
      {"launch_blocking", {{kLaunchBlocking, "1"}}},
      {"no_caching", {{kNoCaching, "1"}}},
  };
  return all;
}

std::map<std::string, std::string> enter_profile(const std::string& name) {
  const auto& all = profiles();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Profile& profile) { return profile.name == name; });
  if (found == all.end()) return {};
  for (const auto& [key, value] : found->env) setenv(key.c_str(), value.c_str(), 1);
  return found->env;
}

std::string not_native() {
  std::vector<std::string> set;
  for (const char* name : {kAllocatorSettings, "PYTORCH_ALLOC_CONF", kNoCaching, kLaunchBlocking})
    if (!variable(name).empty()) set.push_back(fmt::format("{}={}", name, variable(name)));
  if (set.empty()) return {};
  return fmt::format(
      "{} is set, but the profile is `native`, for which expectations are written: unset it, or "
      "name a profile with --profile",
      fmt::join(set, " "));
}

std::string caching_turned_off_by() {
  if (!variable(kNoCaching).empty()) return kNoCaching;
  const auto settings =
      variable(kAllocatorSettings).empty() ? variable("PYTORCH_ALLOC_CONF") : variable(kAllocatorSettings);
  const bool async = settings.find("backend:cudaMallocAsync") != settings.npos;
  return async ? "backend:cudaMallocAsync" : "";
}

}  // namespace cudasem
