#include "case_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>

#include "source_rules.h"

namespace cudasem {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Words that make the shape; all others are names.
bool is_keyword(std::string_view word) {
  constexpr std::array<std::string_view, 24> keywords = {
      "if",     "else",   "for",    "while", "do",    "return",  "const",  "auto",
      "static", "new",    "delete", "true",  "false", "nullptr", "void",   "bool",
      "int",    "double", "float",  "try",   "catch", "throw",   "struct", "using"};
  return std::find(keywords.begin(), keywords.end(), word) != keywords.end();
}

/// `code` has no comments, and blanks between its quotes.
std::string shape_of(std::string_view code) {
  std::string shape;
  for (size_t at = 0; at < code.size();) {
    const char c = code[at];
    if (c == '"' || c == '\'') {
      at = std::min(code.find(c, at + 1), code.size() - 1) + 1;
      if (!shape.ends_with("\"")) shape += "\"";  // literals side by side are one
    } else if (is_word(c)) {
      const size_t begin = at;
      while (at < code.size() && is_word(code[at])) ++at;
      const auto word = code.substr(begin, at - begin);
      shape += is_keyword(word)                                   ? fmt::format(" {} ", word)
               : std::isdigit(static_cast<unsigned char>(c)) != 0 ? "0"
                                                                  : "x";
    } else {
      if (std::isspace(static_cast<unsigned char>(c)) == 0) shape += c;
      ++at;
    }
  }
  return shape;
}

/// Behind the parenthesis that closes the one at `open`.
size_t behind_head(std::string_view code, size_t open) {
  int depth = 0;
  for (size_t at = open; at < code.size(); ++at) {
    if (code[at] == '(') ++depth;
    if (code[at] == ')' && --depth == 0) return at + 1;
  }
  return code.size();
}

}  // namespace

void CaseShapes::add(const std::string& file, std::string_view text, std::vector<Problem>& problems) {
  static const std::regex head(R"((^|\n)(CASE|MISUSE|OBSERVE)(\(\s*(\w+)\s*,\s*(\w+)))");
  const std::string code = code_only(text);
  for (std::sregex_iterator it(code.begin(), code.end(), head), none; it != none; ++it) {
    const auto begin = static_cast<size_t>(it->position(2));
    const size_t body = behind_head(code, static_cast<size_t>(it->position(3)));
    const size_t end = std::min(code.find("\n}", body), code.size());
    const int line =
        static_cast<int>(std::count(code.begin(), code.begin() + static_cast<long>(begin), '\n')) + 1;
    const std::string name = fmt::format("{}.{}", it->str(4), it->str(5));
    const auto [first, added] = first_.emplace(shape_of(std::string_view(code).substr(body, end - body)),
                                               fmt::format("{} ({}:{})", name, file, line));
    if (!added)
      problems.push_back(
          {Severity::error, file, line,
           fmt::format("{} is the code of {} with other names and literals: one of them shows nothing "
                       "new; merge them, or show the difference",
                       name, first->second)});
  }
}

}  // namespace cudasem
