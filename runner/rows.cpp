#include "rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include "toml_fields.h"

namespace cudasem {

namespace {

Spelling read_spelling(const TomlFields& fields, int line) {
  fields.only({"text", "cases"}, "a spelling");
  fields.need("text", "how the row's subject is said, combined or misused");
  Spelling spelling{
      .text = fields.string("text").value_or(""), .cases = fields.strings("cases"), .line = line};
  if (spelling.cases.empty())
    fields.problem("cases", "`cases` names no case: at least one \"area.name\" was expected");
  return spelling;
}

/// (release, case) → whether a recording shows the case as it is today.
std::map<std::string, std::set<std::string>> recorded_cases(const Recordings& recordings,
                                                            const std::vector<CaseInfo>& cases) {
  std::map<std::string, const CaseInfo*> by_id;
  for (const auto& info : cases)
    for (const auto& id : info.ids()) by_id[id] = &info;
  std::map<std::string, std::set<std::string>> shown;
  for (const auto& log : recordings.logs()) {
    for (const auto& entry : log.entries) {
      const auto found = by_id.find(entry.id());
      if (found == by_id.end() || found->second->hash != entry.hash() || entry.attempts.empty()) continue;
      const Outcome outcome = entry.attempts.back().outcome;
      if (outcome != Outcome::missing && outcome != Outcome::skip)
        shown[entry.subject.torch].insert(found->second->name);
    }
  }
  return shown;
}

struct Counted {
  int on_cpu = 0, on_one = 0, on_more = 0;
  std::vector<std::string> measured = {};
};

Counted count(const Spelling& spelling, const std::map<std::string, const CaseInfo*>& by_name,
              const std::map<std::string, std::set<std::string>>& recorded) {
  Counted counted;
  std::vector<std::string> runnable;  // all that one GPU can run; if none, all
  for (const auto& name : spelling.cases) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) continue;
    const int gpus = found->second->needs_gpus;
    ++(gpus == 0 ? counted.on_cpu : gpus == 1 ? counted.on_one : counted.on_more);
    if (gpus < 2) runnable.push_back(name);
  }
  if (runnable.empty()) runnable = spelling.cases;
  for (const auto& [torch, shown] : recorded)
    if (std::all_of(runnable.begin(), runnable.end(),
                    [&shown = shown](const auto& it) { return shown.contains(it); }))
      counted.measured.push_back(torch);
  return counted;
}

}  // namespace

std::vector<Row> read_rows(const TomlTree& tree, const std::string& file, std::vector<Problem>& problems) {
  const TomlFields document(tree, file, problems);
  document.only({"row"}, "rows.toml");
  std::vector<Row> rows;
  std::set<std::string> ids;
  for (const auto* table : document.tables("row")) {
    const TomlFields fields(*table, file, problems);
    fields.only({"id", "title", "link", "spelling"}, "a row");
    fields.need("id", "the name of the row, \"A1\"");
    fields.need("title", "what the row is about");
    fields.need("link", "where the documentation says it");
    Row row{.id = fields.string("id").value_or(""),
            .title = fields.string("title").value_or(""),
            .link = fields.string("link").value_or(""),
            .line = table->line};
    if (!ids.insert(row.id).second)
      fields.problem("id", fmt::format("row {} stands here a second time: remove one", row.id));
    for (const auto* spelling : fields.tables("spelling"))
      row.spellings.push_back(read_spelling(TomlFields(*spelling, file, problems), spelling->line));
    if (row.spellings.empty())
      fields.problem("spelling",
                     fmt::format("row {} has no [[row.spelling]]: one at least was expected", row.id));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Problem> check_rows(const std::vector<Row>& rows, const std::string& file,
                                const std::vector<CaseInfo>& cases) {
  std::set<std::string> names, areas;
  for (const auto& info : cases) {
    names.insert(info.name);
    areas.insert(info.name.substr(0, info.name.find('.')));
  }
  std::vector<Problem> problems;
  for (const auto& row : rows) {
    for (const auto& spelling : row.spellings) {
      for (const auto& name : spelling.cases) {
        if (names.contains(name)) continue;
        const bool built = areas.contains(name.substr(0, name.find('.')));
        problems.push_back(
            {built ? Severity::error : Severity::warning, file, spelling.line,
             built
                 ? fmt::format("row {} names {}, and there is no such case: correct the name, or remove it",
                               row.id, name)
                 : fmt::format("row {} names {}, of an area that was not built: not checked", row.id, name)});
      }
    }
  }
  return problems;
}

void print_rows(const std::vector<Row>& rows, const std::vector<CaseInfo>& cases,
                const Recordings& recordings, std::ostream& out) {
  std::map<std::string, const CaseInfo*> by_name;
  for (const auto& info : cases) by_name[info.name] = &info;
  const auto recorded = recorded_cases(recordings, cases);
  for (const auto& row : rows) {
    out << fmt::format("\n{:<76}{:>4}{:>7}{:>8}  measured on\n", row.id + "  " + row.title, "CPU", "1 GPU",
                       "2 GPUs");
    for (const auto& spelling : row.spellings) {
      const Counted counted = count(spelling, by_name, recorded);
      out << fmt::format("    {:<72}{:>4}{:>7}{:>8}  {}\n", spelling.text, counted.on_cpu, counted.on_one,
                         counted.on_more,
                         !counted.measured.empty() ? fmt::format("{}", fmt::join(counted.measured, ", "))
                         : counted.on_cpu + counted.on_one == 0 ? "needs more than one GPU"
                                                                : "not yet as it is today");
    }
  }
}

}  // namespace cudasem
