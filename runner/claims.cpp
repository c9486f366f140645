#include "claims.h"

#include <fmt/format.h>

#include <map>
#include <ostream>
#include <set>

#include "toml_fields.h"

namespace cudasem {

namespace {

Claim read_claim(const TomlFields& fields, int line) {
  fields.only({"id", "statement", "source", "link"}, "a claim");
  fields.need("id", "the name that cases cite");
  fields.need("statement", "what the document promises, in a sentence");
  fields.need("source", "which document says so");
  fields.need("link", "where to read it");
  Claim claim;
  claim.id = fields.string("id").value_or("");
  claim.statement = fields.string("statement").value_or("");
  claim.source = fields.string("source").value_or("");
  claim.link = fields.string("link").value_or("");
  claim.line = line;
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
  document.only({"section", "statements", "claim"}, "a file of claims");
  document.need("section", "the subject that its claims are about");
  ClaimSection section{.name = document.string("section").value_or(""), .file = file};
  section.statements = document.whole_number("statements").value_or(0);
  for (const auto* table : document.tables("claim")) {
    Claim claim = read_claim(TomlFields(*table, file, problems), table->line);
    if (!claim.id.empty()) section.claims.push_back(std::move(claim));
  }
  if (section.statements != 0 && section.statements < static_cast<int>(section.claims.size()))
    document.problem("statements", fmt::format("`statements` is {}, but {} claims follow: count again",
                                               section.statements, section.claims.size()));
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

void print_coverage(const std::vector<ClaimSection>& sections, const std::vector<CaseInfo>& cases,
                    std::ostream& out) {
  std::map<std::string, std::set<std::string>> citing;
  for (const auto& info : cases)
    for (const auto& id : info.claims) citing[id].insert(info.name);
  out << fmt::format("{:<52}{:>11}{:>7}{:>6}{:>7}\n", "section", "statements", "cited", "", "cases");
  size_t statements = 0, counted = 0, all_cited = 0;
  for (const auto& section : sections) {
    std::set<std::string> names;
    size_t cited = 0;
    for (const auto& claim : section.claims) {
      const auto found = citing.find(claim.id);
      if (found == citing.end()) continue;
      ++cited;
      names.insert(found->second.begin(), found->second.end());
    }
    all_cited += cited;
    const bool known = section.statements > 0;
    if (known) {
      statements += section.statements;
      counted += cited;
    }
    out << fmt::format("{:<52}{:>11}{:>7}{:>6}{:>7}\n", section.name,
                       known ? std::to_string(section.statements) : "not counted", cited,
                       known ? fmt::format("{} %", 100 * cited / section.statements) : "", names.size());
  }
  out << fmt::format(
      "{} statements cited; of {} that the documentation makes on counted subjects {} ({} %)\n", all_cited,
      statements, counted, statements == 0 ? 0 : 100 * counted / statements);
}

}  // namespace cudasem
