#include "source_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <regex>
#include <sstream>

#include "case_shapes.h"

namespace cudasem {

namespace {

constexpr int most_lines = 500;

/// Blanks one stretch after the other; newlines stay, so that lines keep their numbers.
class Blanker {
 public:
  explicit Blanker(std::string_view text) : text_(text) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (starts("//"))
        blank_to(text_.find('\n', at_));
      else if (starts("/*"))
        blank_to(after("*/", at_ + 2));
      else if (starts("R\"") && !in_word())
        raw_string();
      else if (text_[at_] == '"' || (text_[at_] == '\'' && !in_word()))  // in a word: 1'000
        literal(text_[at_]);
      else
        result_ += text_[at_++];
    }
    return std::move(result_);
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool in_word() const {
    return at_ > 0 &&
           (std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0 || text_[at_ - 1] == '_');
  }
  size_t after(std::string_view what, size_t from) const {
    const size_t found = text_.find(what, from);
    return found == std::string_view::npos ? found : found + what.size();
  }

  void blank_to(size_t end) {
    for (end = std::min(end, text_.size()); at_ < end; ++at_) result_ += text_[at_] == '\n' ? '\n' : ' ';
  }

  void literal(char quote) {
    result_ += text_[at_++];
    size_t end = at_;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    blank_to(end);
    if (at_ < text_.size() && text_[at_] == quote) result_ += text_[at_++];
  }

  void raw_string() {
    const size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return blank_to(open);
    const std::string close = fmt::format("){}\"", text_.substr(at_ + 2, open - at_ - 2));
    const size_t end = std::min(after(close, open), text_.size());
    result_ += "R\"";
    at_ += 2;
    blank_to(end - 1);
    if (at_ < text_.size()) result_ += text_[at_++];
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string result_ = {};
};

struct Rule {
  std::regex pattern;
  const char* message;
};

/// For everything under cases/.
const std::vector<Rule>& rules_for_all() {
  static const std::vector<Rule> rules = {
      {std::regex(R"(\b(_cuda_sleep|sleep|usleep|nanosleep|clock_nanosleep|sleep_for|sleep_until)\s*\()"),
       "sleeping is no synchronisation: force the order with a gate, an event or a join"},
      {std::regex(R"(\b(EXPECT_|ASSERT_|expect|require)\w*\s*\(.*(chrono|duration|elapsed))"),
       "no assertion on time: record it as a fact, and compare it in a table"},
  };
  return rules;
}

/// For the cases proper: cases/support may look at texts in order to record them.
const std::vector<Rule>& rules_for_cases() {
  static const std::vector<Rule> rules = {
      {std::regex(R"((\.|->)\s*(what|msg|what_without_backtrace)\s*\(\s*\))"),
       "a case does not look at error texts: use attempt(), and write the text into expected/"},
      {std::regex(R"(\b(HasSubstr|ContainsRegex|MatchesRegex|strstr)\s*\(|(\.|->)\s*find\s*\(\s*")"),
       "a case holds no expected text: use attempt() or fact(), and write what is expected into expected/"},
  };
  return rules;
}

void apply(const std::vector<Rule>& rules, const std::string& file, const std::string& code,
           std::vector<Problem>& problems) {
  std::istringstream lines(code);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line.resize(std::min<size_t>(line.size(), 2000));  // std::regex recurses
    for (const auto& rule : rules)
      if (std::regex_search(line, rule.pattern))
        problems.push_back({Severity::error, file, number, rule.message});
  }
}

bool holds_cases(const std::string& file) {
  return file.starts_with("cases/") && !file.starts_with("cases/support/") && file.ends_with(".cpp");
}

}  // namespace

std::string code_only(std::string_view text) {
  return Blanker(text).run();
}

std::vector<Problem> check_source(const std::string& file, std::string_view text) {
  std::vector<Problem> problems;
  const auto lines = std::count(text.begin(), text.end(), '\n');
  if (lines > most_lines)
    problems.push_back({Severity::error, file, 0,
                        fmt::format("{} lines; at most {} were expected: find the two ideas and part them",
                                    lines, most_lines)});
  if (!file.starts_with("cases/") || file.ends_with(".py")) return problems;
  const std::string code = code_only(text);
  apply(rules_for_all(), file, code, problems);
  if (holds_cases(file)) apply(rules_for_cases(), file, code, problems);
  return problems;
}

std::vector<Problem> check_sources(const std::filesystem::path& source_dir) {
  constexpr std::array<std::string_view, 4> endings = {".cpp", ".h", ".cu", ".py"};
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"cases", "runner", "reports", "ci"}) {
    std::error_code failed;
    for (const auto& item : std::filesystem::recursive_directory_iterator(source_dir / folder, failed))
      if (std::find(endings.begin(), endings.end(), item.path().extension().string()) != endings.end())
        files.push_back(item.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Problem> problems;
  CaseShapes shapes;
  for (const auto& path : files) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    const std::string file = path.lexically_relative(source_dir).generic_string();
    for (auto& problem : check_source(file, text.str())) problems.push_back(std::move(problem));
    if (holds_cases(file)) shapes.add(file, text.str(), problems);
  }
  return problems;
}

}  // namespace cudasem
