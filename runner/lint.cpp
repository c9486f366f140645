#include "lint.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <ostream>
#include <tuple>

#include "judge.h"
#include "source_rules.h"
#include "waivers.h"

namespace cudasem {

namespace {

/// Collects problems; every check is one member.
class Linter {
 public:
  explicit Linter(const LintInput& input) : input_(input) {
    if (!input.catalog) return;
    for (const auto& info : *input.catalog)
      for (const auto& id : info.ids()) by_id_[id] = &info;
  }

  void check_files() {
    take(input_.expectations.problems());
    for (const auto& entry : input_.expectations.entries()) check_review(entry);
    if (!input_.source_dir.empty()) take(check_sources(input_.source_dir));
  }

  void check_catalog() {
    if (!input_.catalog) return;
    take(input_.expectations.check(*input_.catalog));
    take(check_claims(input_.expectations.claims(), *input_.catalog));
    take(check_rows(input_.expectations.rows(), "expected/rows.toml", *input_.catalog));
    std::map<std::string, const CaseInfo*> titles, names;
    for (const auto& info : *input_.catalog) {
      check_title(info, titles);
      if (auto [first, added] = names.emplace(info.name, &info); !added)
        add(info, fmt::format("{} is registered twice, also at {}:{}", info.name, first->second->file,
                              first->second->line));
      for (const auto* way : {"wrong", "right"})
        if (info.kind == Kind::misuse &&
            std::find(info.ways.begin(), info.ways.end(), way) == info.ways.end())
          add(info, fmt::format("misuse {} has no {} way", info.name, way));
      for (const auto& link : info.links)
        if (!link.starts_with("https://"))
          add(info,
              fmt::format("{} links to \"{}\": a public https:// address was expected", info.name, link));
    }
  }

  void check_recordings() {
    for (const auto& log : input_.recordings.logs()) {
      if (log.subject.is_object() &&
          log.subject.value("env", nlohmann::json::object()).contains("CUDASEM_MUTATED"))
        problems_.push_back(
            {Severity::error, log.file.string(), 0,
             "this run had its oracles turned (CUDASEM_MUTATED): it is no recording, remove it"});
      if (log.finish.is_null())
        problems_.push_back(
            {Severity::warning, log.file.string(), 0, "this recorded run never finished: record it again"});
      int stale = 0;
      std::string example;
      for (const auto& entry : log.entries) {
        if (entry.id().ends_with(".*")) continue;  // an area that did not compile
        if (!is_stale(entry)) {
          check_recorded(log, entry);
        } else if (++stale == 1) {
          example = entry.id();
        }
      }
      if (stale > 0)
        problems_.push_back(
            {Severity::warning, log.file.string(), 0,
             fmt::format("{} of {} recorded results are stale, of cases that have changed since ({} …): "
                         "record a new run",
                         stale, log.entries.size(), example)});
    }
  }

  std::vector<Problem> result() && {
    std::stable_sort(problems_.begin(), problems_.end(), [](const Problem& a, const Problem& b) {
      return std::tie(a.file, a.line) < std::tie(b.file, b.line);
    });
    return std::move(problems_);
  }

 private:
  void take(const std::vector<Problem>& more) { problems_.insert(problems_.end(), more.begin(), more.end()); }
  void add(const CaseInfo& info, std::string message) {
    problems_.push_back({Severity::error, info.file, info.line, std::move(message)});
  }

  void check_review(const Expectation& entry) {
    if (entry.review_by.empty() || input_.today.empty() || entry.review_by >= input_.today) return;
    problems_.push_back(
        {Severity::warning, entry.file, entry.line,
         fmt::format("{} was to be reviewed by {}: does the promise hold now? Then remove the entry; "
                     "else set a new date",
                     entry.id, entry.review_by)});
  }

  void check_title(const CaseInfo& info, std::map<std::string, const CaseInfo*>& titles) {
    if (info.title.empty())
      return add(info, fmt::format("{} has no title: say in a sentence what it shows", info.name));
    if (auto [first, added] = titles.emplace(info.title, &info); !added)
      add(info,
          fmt::format("{} has the same title as {}: say what is different", info.name, first->second->name));
  }

  /// Only with a catalog can that be known.
  bool is_stale(const LogEntry& entry) const {
    if (!input_.catalog) return false;
    const auto found = by_id_.find(entry.id());
    return found == by_id_.end() || found->second->hash != entry.hash();
  }

  /// What was recorded must be what is expected today: above all a misuse's right way is ok.
  void check_recorded(const Log& log, const LogEntry& recorded) {
    if (recorded.attempts.empty()) return;
    const auto& observed = recorded.attempts.back();
    const auto* entry = input_.expectations.find(recorded.id(), recorded.subject);
    const auto judgement = judge(entry, recorded.kind(), recorded.way(), observed, recorded.subject);
    if (judgement.verdict == Verdict::as_expected || judgement.verdict == Verdict::skipped) return;
    problems_.push_back(
        {Severity::error, entry ? entry->file : log.file.string(), entry ? entry->line : 0,
         fmt::format("{} on torch {} was recorded otherwise{}: {}", recorded.id(), recorded.subject.torch,
                     entry ? fmt::format(" in {}", log.file.string()) : "", judgement.reason)});
  }

  const LintInput& input_;
  std::map<std::string, const CaseInfo*> by_id_ = {};
  std::vector<Problem> problems_ = {};
};

/// On which supported releases an entry was seen to hold, and on which it is only inferred.
struct EntryEvidence {
  const Expectation* entry = nullptr;
  std::vector<std::string> measured = {}, inferred = {};
};

std::vector<EntryEvidence> evidence_of(const Expectations& expectations, const Recordings& recordings,
                                       const std::vector<CaseInfo>& cases) {
  std::map<std::string, std::string> hashes;
  for (const auto& info : cases)
    for (const auto& id : info.ids()) hashes[id] = info.hash;
  std::vector<EntryEvidence> result;
  for (const auto& entry : expectations.entries()) {
    EntryEvidence line{&entry, {}, {}};
    for (const auto& release : expectations.releases()) {
      const auto version = Version::parse(release.torch);
      if (!version || !entry.conditions.ranges[0].contains(*version)) continue;
      const bool measured = recordings.evidence(entry, hashes[entry.id], release.torch) == Evidence::measured;
      (measured ? line.measured : line.inferred).push_back(release.torch);
    }
    result.push_back(std::move(line));
  }
  return result;
}

std::string counted(size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void print_evidence(const std::vector<EntryEvidence>& all, bool verbose, std::ostream& out) {
  size_t measured = 0, inferred = 0;
  for (const auto& line : all) {
    measured += line.measured.size();
    inferred += line.inferred.size();
    if (!verbose) continue;
    out << fmt::format("{}: {}", line.entry->where(), line.entry->id);
    if (!line.measured.empty()) out << fmt::format("; measured on {}", fmt::join(line.measured, ", "));
    if (!line.inferred.empty()) out << fmt::format("; inferred on {}", fmt::join(line.inferred, ", "));
    if (line.measured.empty() && line.inferred.empty()) out << "; applies to no supported release";
    out << "\n";
  }
  out << fmt::format("{}; counted by supported release: {} measured, {} inferred{}\n",
                     counted(all.size(), "entry", "entries"), measured, inferred,
                     verbose || inferred == 0 ? "" : " (--verbose lists them)");
}

/// A case that fills a table says with the fact `cells` how many it has; an entry demands them all.
void print_tables(const std::vector<EntryEvidence>& all, std::ostream& out) {
  for (const auto& line : all) {
    const auto cells = line.entry->facts.find("cells");
    if (cells == line.entry->facts.end() || !cells->second.exact) continue;
    out << fmt::format("table {}: {} cells, {}\n", line.entry->id, cells->second.exact->dump(),
                       line.measured.empty()
                           ? std::string("in no recorded run")
                           : fmt::format("all measured on {}", fmt::join(line.measured, ", ")));
  }
}

}  // namespace

std::vector<Problem> lint(const LintInput& input) {
  Linter linter(input);
  linter.check_files();
  linter.check_catalog();
  linter.check_recordings();
  return std::move(linter).result();
}

int lint_command(const LintOptions& options, std::ostream& out) {
  const auto expectations = Expectations::load(options.source_dir / "expected");
  std::vector<Problem> problems;
  const auto recordings = Recordings::load(options.source_dir / "reports" / "recorded", problems);
  for (auto& problem : lint({expectations, recordings, options.catalog, options.source_dir, today()}))
    problems.push_back(std::move(problem));
  for (const auto& problem : problems) out << text(problem) << "\n";
  if (options.catalog && options.coverage) {
    print_coverage(expectations.claims(), *options.catalog, out);
    print_rows(expectations.rows(), *options.catalog, recordings, out);
  }
  if (options.catalog) {
    const auto evidence = evidence_of(expectations, recordings, *options.catalog);
    if (options.coverage) print_tables(evidence, out);
    print_evidence(evidence, options.verbose, out);
  } else {
    out << fmt::format("cases themselves were not checked, nor ids, claims, gaps and evidence: {}\n",
                       options.without_cases ? "--without-cases"
                                             : options.no_catalog_because +
                                                   ". Without any, lint --without-cases checks the rest");
  }
  const auto errors = static_cast<size_t>(std::count_if(
      problems.begin(), problems.end(), [](const Problem& it) { return it.severity == Severity::error; }));
  out << fmt::format("{}, {}\n", counted(errors, "error", "errors"),
                     counted(problems.size() - errors, "warning", "warnings"));
  return errors == 0 && (options.catalog || options.without_cases) ? 0 : 2;
}

}  // namespace cudasem
