#include "show.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <iostream>
#include <set>

namespace cudasem {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::string needs(const CaseInfo& info) {
  std::vector<std::string> words;
  if (info.needs_gpus == 0) words.push_back("host only");
  if (info.needs_gpus > 1) words.push_back(fmt::format("{} GPUs", info.needs_gpus));
  for (const auto& feature : info.needs_features) words.push_back(feature);
  if (info.needs_caching) words.push_back("caching");
  return fmt::format("{}", fmt::join(words, ", "));
}

json listed(const PlanItem& item) {
  const CaseInfo& info = item.found->info;
  return {{"id", item.id},
          {"case", info.name},
          {"way", item.way},
          {"kind", name(info.kind)},
          {"title", info.title},
          {"claims", info.claims},
          {"area", item.found->area},
          {"needs",
           {{"gpus", info.needs_gpus}, {"features", info.needs_features}, {"caching", info.needs_caching}}},
          {"isolation", info.isolation},
          {"time_limit_s", info.time_limit_s},
          {"file", info.file},
          {"line", info.line},
          {"hash", info.hash}};
}

void show_expectations(const Expectations& expectations, const Subject& subject, const CaseInfo& info,
                       const std::string& id, std::ostream& out) {
  const Expectation* applies = expectations.find(id, subject);
  fmt::print(out, "\nexpected of {}:\n", id);
  bool any = false;
  for (const auto& entry : expectations.entries()) {
    if (entry.id != id) continue;
    any = true;
    fmt::print(out, "{} {}  [{}]  {}\n", &entry == applies ? "  *" : "   ", text(entry),
               entry.conditions.text(), entry.where());
    if (!entry.why.empty()) fmt::print(out, "      why: {}\n", entry.why);
    if (!entry.link.empty()) fmt::print(out, "      see: {}\n", entry.link);
  }
  const bool must_be_written = info.kind == Kind::misuse && way_of(id) == "wrong";
  if (!any)
    fmt::print(out, "    {}\n",
               must_be_written ? "nothing is written down: it cannot pass" : "ok (no entry)");
  if (any && !applies) fmt::print(out, "    none of these applies to torch {} here\n", subject.torch);
}

void show_claim(const Expectations& expectations, const std::string& id, std::ostream& out) {
  for (const auto& section : expectations.claims())
    for (const auto& claim : section.claims)
      if (claim.id == id) {
        fmt::print(out, "claim {}: {}\n  {} {}\n", id, claim.statement, claim.source, claim.link);
        return;
      }
  fmt::print(out, "claim {}: in no file of expected/claims/\n", id);
}

}  // namespace

int list_command(const Catalog& catalog, const Selection& selection, ListForm form, std::ostream& out) {
  const auto plan = make_plan(catalog, selection, {});
  if (form == ListForm::json) {
    json all = json::array();
    for (const auto& item : plan) all.push_back(listed(item));
    fmt::print(out, "{}\n", all.dump(1, ' ', false, json::error_handler_t::replace));
    return plan.empty() ? 2 : 0;
  }
  size_t width = 0;
  for (const auto& item : plan) width = std::max(width, item.id.size());
  for (const auto& item : plan) {
    const CaseInfo& info = item.found->info;
    if (form == ListForm::ids)
      fmt::print(out, "{}\n", item.id);
    else
      fmt::print(out, "{:{}}  {:7}  {}{}\n", item.id, width, name(info.kind), info.title,
                 needs(info).empty() ? "" : fmt::format("  ({})", needs(info)));
  }
  if (form == ListForm::ids) return plan.empty() ? 2 : 0;
  for (const auto& area : catalog.uncompiled)
    if (selection.selects_area(area.area))
      fmt::print(out, "{}.*  did not compile: {}\n", area.area, area.text);
  std::set<const CatalogCase*> listed_cases;
  for (const auto& item : plan) listed_cases.insert(item.found);
  fmt::print(out, "{} of {} cases (a misuse's two ways count as one)\n", listed_cases.size(),
             catalog.cases.size());
  return plan.empty() ? 2 : 0;
}

int show_command(const Catalog& catalog, const Expectations& expectations, const Subject& subject,
                 const std::string& id, std::ostream& out, std::ostream& err) {
  const std::string wanted = id.substr(0, id.find('/'));
  const auto found = std::find_if(catalog.cases.begin(), catalog.cases.end(),
                                  [&](const CatalogCase& c) { return c.info.name == wanted; });
  if (found == catalog.cases.end()) {
    fmt::print(err, "cudasem: no case {}: `cudasem list '*{}*'` may find it\n", wanted,
               wanted.substr(wanted.find('.') == wanted.npos ? 0 : wanted.find('.') + 1));
    return 2;
  }
  const CaseInfo& info = found->info;
  fmt::print(out, "{}  ({})\n{}\n", info.name, name(info.kind), info.title);
  if (!needs(info).empty()) fmt::print(out, "needs: {}\n", needs(info));
  fmt::print(out, "isolation: {}, time limit: {} s\n", info.isolation, info.time_limit_s);
  for (const auto& cited : info.claims) show_claim(expectations, cited, out);
  for (const auto& link : info.links) fmt::print(out, "see: {}\n", link);
  fmt::print(out, "\n{}:{}\n{}", info.file, info.line, info.source);
  for (const auto& one : info.ids())
    if (id == wanted || one == id) show_expectations(expectations, subject, info, one, out);
  return 0;
}

}  // namespace cudasem
