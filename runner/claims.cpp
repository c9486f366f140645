#include "claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include "toml_fields.h"

namespace cudasem {

namespace {

Claim read_claim(const TomlFields& fields, int line) {
  fields.only({"id", "statement", "source", "link", "reach"}, "a claim");
  fields.need("id", "the name that cases cite");
  fields.need("statement", "what the document promises, in a sentence");
  fields.need("source", "which document says so");
  fields.need("link", "where to read it");
  Claim claim;
  claim.id = fields.string("id").value_or("");
  claim.statement = fields.string("statement").value_or("");
  claim.source = fields.string("source").value_or("");
  claim.link = fields.string("link").value_or("");
  claim.reach = fields.string("reach").value_or("");
  claim.line = line;
  if (!claim.reach.empty() && claim.reach != "two_gpus" && claim.reach != "python" && claim.reach != "advice")
    fields.problem("reach",
                   fmt::format("`reach` is \"{}\": two_gpus, python or advice was expected; without it "
                               "C++ on one GPU can show the claim",
                               claim.reach));
  if (!claim.link.empty() && !claim.link.starts_with("https://"))
    fields.problem("link",
                   fmt::format("`link` is \"{}\": a public https:// address was expected", claim.link));
  return claim;
}

std::string place(const ClaimSection& section, const Claim& claim) {
  return fmt::format("{}:{}", section.file, claim.line);
}

}  // namespace

ClaimSection read_claims(const TomlTree& tree, const std::string& file, std::vector<Problem>& problems) {
  const TomlFields document(tree, file, problems);
  document.only({"section", "statements", "in_reach", "claim"}, "a file of claims");
  document.need("section", "the subject that its claims are about");
  ClaimSection section{.name = document.string("section").value_or(""), .file = file};
  section.statements = document.whole_number("statements").value_or(0);
  section.in_reach = document.whole_number("in_reach").value_or(section.statements);
  for (const auto* table : document.tables("claim")) {
    Claim claim = read_claim(TomlFields(*table, file, problems), table->line);
    if (!claim.id.empty()) section.claims.push_back(std::move(claim));
  }
  if (section.statements != 0 && section.statements < static_cast<int>(section.claims.size()))
    document.problem("statements", fmt::format("`statements` is {}, but {} claims follow: count again",
                                               section.statements, section.claims.size()));
  const auto reachable = std::count_if(section.claims.begin(), section.claims.end(),
                                       [](const Claim& claim) { return claim.reach.empty(); });
  if (section.in_reach > section.statements || (section.statements != 0 && section.in_reach < reachable))
    document.problem(
        "in_reach",
        fmt::format("`in_reach` is {}: at least the {} claims that follow without `reach`, and at most "
                    "the {} statements were expected",
                    section.in_reach, reachable, section.statements));
  return section;
}

std::vector<Problem> check_claims(const std::vector<ClaimSection>& sections,
                                  const std::vector<CaseInfo>& cases) {
  std::vector<Problem> problems;
  std::map<std::string, std::string> known;
  for (const auto& section : sections)
    for (const auto& claim : section.claims)
      if (const auto [first, added] = known.emplace(claim.id, place(section, claim)); !added)
        problems.push_back(
            {Severity::error, section.file, claim.line,
             fmt::format("claim {} stands at {} already: remove one", claim.id, first->second)});
  std::set<std::string> cited;
  for (const auto& info : cases) {
    for (const auto& id : info.claims) {
      cited.insert(id);
      if (!known.contains(id))
        problems.push_back({Severity::error, info.file, info.line,
                            fmt::format("{} cites claim {}, which is in no file of expected/claims/: add it "
                                        "there, with statement, source and link",
                                        info.name, id)});
    }
  }
  for (const auto& section : sections)
    for (const auto& claim : section.claims)
      if (!cited.contains(claim.id))
        problems.push_back({Severity::error, section.file, claim.line,
                            fmt::format("no case cites claim {}: remove it, or cite it", claim.id)});
  return problems;
}

namespace {

struct Coverage {
  size_t statements = 0, cited = 0, in_reach = 0, cited_in_reach = 0;
  std::set<std::string> cases = {};

  Coverage& operator+=(const Coverage& other) {
    statements += other.statements;
    cited += other.cited;
    in_reach += other.in_reach;
    cited_in_reach += other.cited_in_reach;
    cases.insert(other.cases.begin(), other.cases.end());
    return *this;
  }
};

Coverage coverage_of(const ClaimSection& section,
                     const std::map<std::string, std::vector<const CaseInfo*>>& citing) {
  Coverage found{.statements = static_cast<size_t>(section.statements),
                 .in_reach = static_cast<size_t>(section.in_reach)};
  for (const auto& claim : section.claims) {
    const auto by = citing.find(claim.id);
    if (by == citing.end()) continue;
    ++found.cited;
    found.cited_in_reach +=
        claim.reach.empty() &&
        std::any_of(by->second.begin(), by->second.end(), [](auto* info) { return info->needs_gpus <= 1; });
    for (const CaseInfo* info : by->second) found.cases.insert(info->name);
  }
  return found;
}

std::string percent(size_t part, size_t whole) {
  return whole == 0 ? "" : fmt::format("{} %", 100 * part / whole);
}

void print_line(const std::string& name, const Coverage& found, std::ostream& out) {
  const std::string statements = found.statements == 0 ? "not counted" : std::to_string(found.statements);
  out << fmt::format("{:<52}{:>11}{:>7}{:>6}{:>11}{:>7}{:>6}{:>7}\n", name, statements, found.cited,
                     percent(found.cited, found.statements), found.in_reach, found.cited_in_reach,
                     percent(found.cited_in_reach, found.in_reach), found.cases.size());
}

}  // namespace

void print_coverage(const std::vector<ClaimSection>& sections, const std::vector<CaseInfo>& cases,
                    std::ostream& out) {
  std::map<std::string, std::vector<const CaseInfo*>> citing;
  for (const auto& info : cases)
    for (const auto& id : info.claims) citing[id].push_back(&info);
  out << fmt::format("{:<52}{:>11}{:>7}{:>6}{:>11}{:>7}{:>6}{:>7}\n", "section", "statements", "cited", "",
                     "in reach", "cited", "", "cases");
  Coverage counted;
  for (const auto& section : sections) {
    const Coverage found = coverage_of(section, citing);
    print_line(section.name, found, out);
    if (section.statements > 0) counted += found;
  }
  print_line("all that are counted", counted, out);
  out << "in reach: what C++ on one GPU can show\n";
}

}  // namespace cudasem
