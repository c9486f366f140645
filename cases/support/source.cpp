#include "support/source.h"

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <regex>

namespace cudasem {
namespace {

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

bool begins_case(const std::string& line) {
  static const std::regex head(R"(^(CASE|MISUSE|OBSERVE|MEASURE)\()");
  return std::regex_search(line, head);
}

/// Index of the last line of the case that begins at `first`.
std::size_t last_line(const std::vector<std::string>& lines, std::size_t first) {
  std::size_t last = first;
  while (last + 1 < lines.size() && lines[last] != "}") ++last;
  return last;
}

/// Drops comments and white space outside string literals.
std::string significant(const std::string& code) {
  std::string kept;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code.compare(i, 2, "//") == 0) {
      while (i < code.size() && code[i] != '\n') ++i;
    } else if (code[i] == '"') {
      kept += code[i++];
      while (i < code.size() && code[i] != '"') {
        if (code[i] == '\\') kept += code[i++];
        kept += code[i++];
      }
      kept += '"';
    } else if (std::isspace(static_cast<unsigned char>(code[i])) == 0) {
      kept += code[i];
    } else if (!kept.empty() && kept.back() != ' ') {
      kept += ' ';
    }
  }
  return kept;
}

/// The body of a case without its head: what follows the parenthesis that closes CASE( or MISUSE(.
std::string without_head(const std::string& text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == '(') {
      ++depth;
    } else if (!quoted && text[i] == ')' && --depth == 0) {
      return text.substr(i + 1);
    }
  }
  return text;
}

}  // namespace

int line_of_case(std::string_view text, std::string_view area, std::string_view name) {
  const auto lines = split_lines(text);
  const std::string head = "(" + std::string(area) + ", " + std::string(name);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!begins_case(lines[i])) continue;
    const std::size_t at = lines[i].find(head);
    if (at == std::string::npos || at != lines[i].find('(')) continue;
    const char next = at + head.size() < lines[i].size() ? lines[i][at + head.size()] : ',';
    if (next == ',' || next == ')') return static_cast<int>(i) + 1;
  }
  return 0;
}

std::string cut_case(std::string_view text, int line) {
  const auto lines = split_lines(text);
  const auto first = static_cast<std::size_t>(line - 1);
  std::string cut;
  if (line < 1 || first >= lines.size()) return cut;
  for (std::size_t i = first; i <= last_line(lines, first); ++i) cut += lines[i] + "\n";
  return cut;
}

std::string case_hash(std::string_view text, int line) {
  const auto lines = split_lines(text);
  std::string outside;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (begins_case(lines[i])) {
      i = last_line(lines, i);
    } else if (lines[i].rfind("#include", 0) != 0) {
      outside += lines[i] + "\n";
    }
  }
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : significant(outside) + "\n" + significant(without_head(cut_case(text, line)))) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

}  // namespace cudasem
