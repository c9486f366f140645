#include "case_info.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <type_traits>

#include "json_reading.h"

namespace cudasem {

namespace {

/// Reads a member, naming it and its type when it is missing or wrong.
template <typename T>
void read(const nlohmann::json& json, const std::string& key, const char* type, T& into) {
  auto member = json.find(key);
  if (member == json.end())
    throw std::runtime_error(fmt::format("a case has no `{}`: {} was expected", key, type));
  try {
    if constexpr (std::is_same_v<T, int>)
      into = whole_number(*member, key);
    else
      member->get_to(into);
  } catch (const nlohmann::json::exception&) {
    throw std::runtime_error(fmt::format("`{}` of a case is {}: {} was expected", key, member->dump(), type));
  }
}

void expect_object(const nlohmann::json& json, const char* what) {
  if (!json.is_object())
    throw std::runtime_error(fmt::format("{} is {}: an object was expected", what, json.dump()));
}

void read_needs(const nlohmann::json& json, CaseInfo& info) {
  nlohmann::json needs;
  read(json, "needs", "an object", needs);
  expect_object(needs, "`needs` of a case");
  read(needs, "gpus", "a whole number", info.needs_gpus);
  read(needs, "features", "a list of strings", info.needs_features);
  read(needs, "caching", "true or false", info.needs_caching);
}

constexpr double kLongest = 3600;  // seconds
constexpr int kMostGpus = 64;

void check(const CaseInfo& info) {
  auto fail = [&](const std::string& what) { throw std::runtime_error(info.name + ": " + what); };
  auto dot = info.name.find('.');
  if (dot == 0 || dot == std::string::npos || dot + 1 == info.name.size() ||
      info.name.find('/') != std::string::npos)
    fail("`case` must be \"area.name\"");
  const bool misuse = info.kind == Kind::misuse;
  if (misuse && info.ways != std::vector<std::string>{"wrong", "right"} &&
      info.ways != std::vector<std::string>{"right", "wrong"})
    fail("`ways` of a misuse must be \"wrong\" and \"right\"");
  if (!misuse && !info.ways.empty())
    fail(fmt::format("`ways` must be empty: only a misuse has ways, this is a {}", name(info.kind)));
  static const std::set<std::string_view> isolations = {"process", "shared", "right_shared", "exclusive"};
  if (!isolations.contains(info.isolation))
    fail(fmt::format("`isolation` is \"{}\": process, shared, right_shared or exclusive was expected",
                     info.isolation));
  if (info.isolation == "right_shared" && !misuse)
    fail(fmt::format(
        "`isolation` is \"right_shared\": only a misuse has a right way, this is a {}: process or "
        "shared was expected",
        name(info.kind)));
  if (!(info.time_limit_s > 0 && info.time_limit_s <= kLongest))
    fail(fmt::format("`time_limit_s` is {}: more than 0 and at most {} s was expected", info.time_limit_s,
                     kLongest));
  if (info.needs_gpus < 0 || info.needs_gpus > kMostGpus)
    fail(fmt::format("`needs.gpus` is {}: 0 to {} was expected", info.needs_gpus, kMostGpus));
  if (info.line < 0) fail(fmt::format("`line` is {}: 0 or more was expected", info.line));
}

}  // namespace

std::vector<std::string> CaseInfo::ids() const {
  if (ways.empty()) return {name};
  std::vector<std::string> result;
  for (const auto& way : ways) result.push_back(name + "/" + way);
  return result;
}

bool CaseInfo::shares(std::string_view way) const {
  if (!env.empty()) return false;
  return isolation == "shared" || (isolation == "right_shared" && way == "right");
}

CaseInfo case_info_from_json(const nlohmann::json& json) {
  expect_object(json, "a case");
  CaseInfo info;
  read(json, "case", "a string", info.name);
  std::string kind;
  read(json, "kind", "a string", kind);
  if (auto parsed = parse_kind(kind))
    info.kind = *parsed;
  else
    throw std::runtime_error(
        fmt::format("{}: `kind` is \"{}\": rule, misuse, observe or measure was expected", info.name, kind));
  read(json, "ways", "a list of strings", info.ways);
  read(json, "title", "a string", info.title);
  read(json, "claims", "a list of strings", info.claims);
  read(json, "links", "a list of strings", info.links);
  read_needs(json, info);
  read(json, "lacks", "a list of strings", info.lacks);
  if (json.contains("env")) read(json, "env", "an object of strings", info.env);
  read(json, "isolation", "a string", info.isolation);
  read(json, "time_limit_s", "a number", info.time_limit_s);
  read(json, "file", "a string", info.file);
  read(json, "line", "a whole number", info.line);
  read(json, "source", "a string", info.source);
  read(json, "hash", "a string", info.hash);
  check(info);
  return info;
}

}  // namespace cudasem
