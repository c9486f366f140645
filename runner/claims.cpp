#include "claims.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "toml_fields.h"

namespace cudasem {

std::vector<Claim> read_claims(const TomlTree& tree, const std::string& file,
                               std::vector<Problem>& problems) {
  const TomlFields document(tree, file, problems);
  document.only({"claim"}, "claims.toml");
  std::vector<Claim> claims;
  std::map<std::string, int> lines;
  for (const auto* table : document.tables("claim")) {
    const TomlFields fields(*table, file, problems);
    fields.only({"id", "section", "statement", "source", "link"}, "a claim");
    fields.need("id", "the name that cases cite");
    fields.need("statement", "what the document promises, in a sentence");
    fields.need("source", "which document says so");
    fields.need("link", "where to read it");
    Claim claim;
    claim.id = fields.string("id").value_or("");
    claim.section = fields.string("section").value_or("");
    claim.statement = fields.string("statement").value_or("");
    claim.source = fields.string("source").value_or("");
    claim.link = fields.string("link").value_or("");
    claim.line = table->line;
    if (!claim.link.empty() && !claim.link.starts_with("https://"))
      fields.problem("link",
                     fmt::format("`link` is \"{}\": a public https:// address was expected", claim.link));
    if (claim.id.empty()) continue;
    if (auto [first, inserted] = lines.emplace(claim.id, claim.line); !inserted)
      fields.problem("id",
                     fmt::format("claim {} stands at line {} already: remove one", claim.id, first->second));
    claims.push_back(std::move(claim));
  }
  return claims;
}

std::vector<Problem> check_claims(const std::vector<Claim>& claims, const std::vector<CaseInfo>& cases) {
  std::set<std::string> known, cited;
  for (const auto& claim : claims) known.insert(claim.id);
  std::vector<Problem> problems;
  for (const auto& info : cases) {
    for (const auto& id : info.claims) {
      cited.insert(id);
      if (!known.contains(id))
        problems.push_back(
            {Severity::error, info.file, info.line,
             fmt::format("{} cites claim {}, which is not in expected/claims.toml: add it there, with "
                         "statement, source and link",
                         info.name, id)});
    }
  }
  for (const auto& claim : claims)
    if (!cited.contains(claim.id))
      problems.push_back({Severity::error, "expected/claims.toml", claim.line,
                          fmt::format("no case cites claim {}: write one, or remove the claim", claim.id)});
  return problems;
}

}  // namespace cudasem
