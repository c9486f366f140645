#include "expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "expectation_parser.h"

namespace cudasem {

namespace {

std::vector<std::filesystem::path> toml_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& item : std::filesystem::directory_iterator(folder, failed))
    if (item.path().extension() == ".toml") files.push_back(item.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A folder or a dangling link named x.toml must not pass for a file without entries.
bool readable(const std::filesystem::path& file) {
  std::error_code failed;
  return std::filesystem::is_regular_file(file, failed) && std::ifstream(file).good();
}

/// FNV-1a, as in the case hashes.
void add_to_hash(uint64_t& hash, std::string_view bytes) {
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
}

/// "`torch` ranges of two entries for replay.x overlap (>=2.13 and >=2.14)"
std::string overlap_text(const Conditions& one, const Conditions& other, const std::string& id) {
  std::string dimensions, ranges;
  for (size_t i = 0; i < Conditions::dimensions.size(); ++i) {
    if (one.ranges[i] == Range{} && other.ranges[i] == Range{}) continue;
    dimensions += fmt::format("{}`{}`", dimensions.empty() ? "" : " and ", Conditions::dimensions[i]);
    ranges +=
        fmt::format("{}{} and {}", ranges.empty() ? "" : "; ", one.ranges[i].text(), other.ranges[i].text());
  }
  if (dimensions.empty()) return fmt::format("two entries for {} always apply together", id);
  return fmt::format("{} ranges of two entries for {} overlap ({})", dimensions, id, ranges);
}

void check_overlaps(const std::vector<Expectation>& entries, std::vector<Problem>& problems) {
  for (size_t later = 0; later < entries.size(); ++later) {
    for (size_t earlier = 0; earlier < later; ++earlier) {
      const auto &one = entries[earlier], &other = entries[later];
      if (one.id != other.id || !overlap(one.conditions, other.conditions)) continue;
      problems.push_back(
          {Severity::error, other.file, other.line,
           fmt::format("{}; the other is at {}. Narrow one of them.",
                       overlap_text(one.conditions, other.conditions, other.id), one.where())});
    }
  }
}

std::string area_of(std::string_view id) {
  return std::string(id.substr(0, id.find('.')));
}

/// "a:b" as two folders; what names problems is "expected" for the first and the folder's own name for
/// others.
std::vector<std::pair<std::filesystem::path, std::string>> folders_of(const std::filesystem::path& folders) {
  std::vector<std::pair<std::filesystem::path, std::string>> result;
  std::stringstream words(folders.string());
  for (std::string word; std::getline(words, word, ':');)
    if (!word.empty())
      result.emplace_back(word,
                          result.empty() ? "expected" : std::filesystem::path(word).filename().string());
  return result;
}

}  // namespace

Expectations Expectations::load(const std::filesystem::path& folders) {
  Expectations all;
  uint64_t hash = 0xcbf29ce484222325u;
  for (const auto& [folder, label] : folders_of(folders)) {
    if (std::error_code failed; !std::filesystem::is_directory(folder, failed))
      all.problems_.push_back(
          {Severity::error, label, 0, "no such folder: one with expectations was expected"});
    for (const auto& path : toml_files(folder)) {
      const std::string document = contents(path);
      if (path.filename() != "rows.toml")  // expects nothing
        add_to_hash(hash, path.filename().string() + '\0' + document + '\0');
      all.read_file(path, label + "/" + path.filename().string(), document);
    }
    for (const auto& path : toml_files(folder / "claims"))
      all.read_claims_file(path, label + "/claims/" + path.filename().string());
  }
  if (all.releases_.empty())
    all.problems_.push_back(
        {Severity::error, "expected/releases.toml", 0,
         "the file is missing: it lists the supported releases of torch, and stands beside the "
         "expectations"});
  check_overlaps(all.entries_, all.problems_);
  all.hash_ = fmt::format("{:016x}", hash);
  return all;
}

void Expectations::read_file(const std::filesystem::path& path, const std::string& file,
                             const std::string& document) {
  if (!readable(path))
    problems_.push_back({Severity::error, file, 0, "the file cannot be read: a readable file was expected"});
  try {
    const TomlTree tree = parse_toml(document);
    if (path.filename() == "releases.toml") {
      releases_ = read_releases(tree, file, problems_);
    } else if (path.filename() == "rows.toml") {
      rows_ = read_rows(tree, file, problems_);
    } else {
      for (auto& entry : parse_expectations(tree, file, problems_)) entries_.push_back(std::move(entry));
    }
  } catch (const TomlError& error) {
    problems_.push_back({Severity::error, file, error.line, error.what()});
  }
}

void Expectations::read_claims_file(const std::filesystem::path& path, const std::string& file) {
  try {
    claims_.push_back(read_claims(parse_toml(contents(path)), file, problems_));
  } catch (const TomlError& error) {
    problems_.push_back({Severity::error, file, error.line, error.what()});
  }
}

const Expectation* Expectations::find(std::string_view id, const Subject& subject) const {
  for (const auto& entry : entries_)
    if (entry.id == id && entry.conditions.hold(subject)) return &entry;
  if (subject.profile == "native") return nullptr;
  Subject native = subject;
  native.profile = "native";
  return find(id, native);
}

namespace {

/// The checks that need the cases; one object holds what they all look up.
class CatalogCheck {
 public:
  CatalogCheck(const std::vector<Expectation>& entries, const std::vector<CaseInfo>& cases)
      : entries_(entries) {
    for (const auto& info : cases) {
      areas_.insert(area_of(info.name));
      for (const auto& id : info.ids()) cases_[id] = &info;
      if (!info.ways.empty()) misuses_[info.name] = &info;
    }
  }

  void check_entry(const Expectation& entry) {
    if (!areas_.contains(area_of(entry.id))) {
      if (warned_.insert(entry.file).second)
        add(Severity::warning, entry,
            fmt::format("no case of area {} was built: its entries are not checked against "
                        "cases",
                        area_of(entry.id)));
      return;
    }
    const auto found = cases_.find(entry.id);
    if (found == cases_.end()) return add(Severity::error, entry, unknown(entry.id));
    const CaseInfo& info = *found->second;
    const bool rule = info.kind == Kind::rule || entry.id.ends_with("/right");
    const bool promise_broken =
        rule && std::any_of(entry.courses.begin(), entry.courses.end(), [](const auto& it) {
          return it.first.outcome != Outcome::ok && it.first.outcome != Outcome::skip;
        });
    if (promise_broken && !entry.bug)
      add(Severity::error, entry,
          fmt::format(
              "{} is a documented promise that is broken: add `bug = true` and `review_by = <a date>`",
              entry.id));
    if (!promise_broken && entry.bug)
      add(Severity::error, entry,
          fmt::format("`bug` marks a documented promise that is broken, and {} is none", entry.id));
    if (!rule && entry.why.empty())
      add(Severity::error, entry,
          fmt::format("`why` is missing: {} is no rule, so `ok` needs a reason", entry.id));
  }

  /// A misuse's wrong way must be foretold for every release from the oldest on, whatever the machine.
  void check_gaps(const CaseInfo& info, const Version& oldest, const std::set<std::string>& unreadable) {
    const std::string file = fmt::format("expected/{}.toml", area_of(info.name));
    if (info.kind != Kind::misuse || unreadable.contains(file)) return;
    const std::string id = info.name + "/wrong";
    std::vector<Conditions> parts;
    int line = 0;
    for (const auto& entry : entries_) {
      if (entry.id != id || entry.conditions.profile != "native") continue;
      parts.push_back(entry.conditions);
      line = entry.line;
    }
    Conditions whole;
    whole.restrict("torch", ">=" + oldest.text());
    if (info.needs_gpus > 0) whole.restrict("gpus", fmt::format(">={}", info.needs_gpus));
    for (auto& gap : uncovered(whole, parts)) {
      if (gap.ranges[4] == whole.ranges[4]) gap.ranges[4] = {};  // all counts of GPUs that the case runs on
      problems.push_back({Severity::error, file, line,
                          fmt::format("no entry for {} covers {}: say what is expected there, `ok` included",
                                      id, gap.text())});
    }
  }

  std::vector<Problem> problems = {};

 private:
  void add(Severity severity, const Expectation& entry, std::string message) {
    problems.push_back({severity, entry.file, entry.line, std::move(message)});
  }

  std::string unknown(const std::string& id) const {
    const auto name = id.substr(0, id.find('/'));
    if (misuses_.contains(name))
      return fmt::format("{} is a misuse: `case` must name a way, {}/wrong or {}/right", name, name, name);
    if (cases_.contains(name)) return fmt::format("{} has no ways: `case` is just {}", name, name);
    return fmt::format("there is no case {}: correct the name, or remove the entry", id);
  }

  const std::vector<Expectation>& entries_;
  std::set<std::string> areas_ = {}, warned_ = {};
  std::map<std::string, const CaseInfo*> cases_ = {}, misuses_ = {};
};

}  // namespace

std::vector<Problem> Expectations::check_entries(const std::vector<CaseInfo>& cases) const {
  CatalogCheck check(entries_, cases);
  for (const auto& entry : entries_) check.check_entry(entry);
  return std::move(check.problems);
}

std::vector<Problem> Expectations::check(const std::vector<CaseInfo>& cases) const {
  CatalogCheck check(entries_, cases);
  check.problems = check_entries(cases);
  std::set<std::string> unreadable;
  for (const auto& problem : problems_) unreadable.insert(problem.file);
  const auto oldest = releases_.empty() ? std::nullopt : Version::parse(releases_.front().torch);
  if (oldest)
    for (const auto& info : cases) check.check_gaps(info, *oldest, unreadable);
  return std::move(check.problems);
}

}  // namespace cudasem
