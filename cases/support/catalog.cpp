#include "support/catalog.h"

#include <torch/headeronly/version.h>

#include <nlohmann/json.hpp>

#include "support/features.h"
#include "support/source.h"

namespace cudasem {
namespace {

const SourceFile* source_of(const Case& the_case) {
  for (const SourceFile& file : embedded_sources()) {
    if (file.path == the_case.file) return &file;
  }
  return nullptr;
}

std::string_view word(Kind kind) {
  switch (kind) {
    case Kind::rule:
      return "rule";
    case Kind::misuse:
      return "misuse";
    case Kind::observe:
      return "observe";
    case Kind::measure:
      return "measure";
  }
  return "";
}

std::string_view word(Isolation isolation) {
  switch (isolation) {
    case Isolation::process:
      return "process";
    case Isolation::shared:
      return "shared";
    case Isolation::right_shared:
      return "right_shared";
    case Isolation::exclusive:
      return "exclusive";
  }
  return "";
}

std::vector<std::string_view> lacking(const std::vector<std::string_view>& wanted) {
  std::vector<std::string_view> missing;
  for (const auto feature : wanted) {
    if (!has_feature(feature)) missing.push_back(feature);
  }
  return missing;
}

int line_in(const SourceFile* source, const Case& the_case) {
  return source != nullptr ? line_of_case(source->text, the_case.area, the_case.name) : 0;
}

nlohmann::json environment(const Meta& meta) {
  auto variables = nlohmann::json::object();
  for (const auto& [name, value] : meta.env) variables[std::string(name)] = value;
  return variables;
}

nlohmann::json to_json(const Case& the_case) {
  const Meta& meta = the_case.meta;
  const SourceFile* source = source_of(the_case);
  const int line = line_in(source, the_case);
  return {{"case", the_case.full_name()},
          {"kind", word(the_case.kind)},
          {"ways", the_case.is_misuse() ? nlohmann::json{"wrong", "right"} : nlohmann::json::array()},
          {"title", meta.title},
          {"claims", meta.claims},
          {"links", meta.links},
          {"needs",
           {{"gpus", meta.needs.gpus}, {"features", meta.needs.features}, {"caching", meta.needs.caching}}},
          {"lacks", lacking(meta.needs.features)},
          {"env", environment(meta)},
          {"isolation", word(meta.isolation)},
          {"time_limit_s", meta.time_limit_s},
          {"file", the_case.file},
          {"line", line},
          {"source", source != nullptr ? cut_case(source->text, line) : ""},
          {"hash", hash_of(the_case)}};
}

}  // namespace

std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

std::string hash_of(const Case& the_case) {
  const SourceFile* source = source_of(the_case);
  return source != nullptr ? case_hash(source->text, line_in(source, the_case)) : "";
}

std::string catalog_json() {
  nlohmann::json list = nlohmann::json::array();
  for (const Case& the_case : cases()) list.push_back(to_json(the_case));
  return nlohmann::json{{"protocol", 1},
                        {"area", cases().empty() ? "" : cases().front().area},
                        {"built_for", TORCH_VERSION},
                        {"cases", list}}
      .dump(1);
}

}  // namespace cudasem
