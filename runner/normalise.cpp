#include "normalise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace cudasem {

namespace {

/// From the first of these on, a text says how to debug, not what happened. c10 appends them in this order,
/// each release another selection.
constexpr std::array<std::string_view, 8> suffixes = {
    "Search for `cuda",
    "CUDA kernel errors might be asynchronously reported",
    "For debugging consider",
    "For more detailed error information, run with CUDA_LOG_FILE",
    "The CUDA driver logged these messages",
    "Device-side assertions were explicitly omitted",
    "Compile with `TORCH_USE_CUDA_DSA`",
    "Exception raised from ",
};

constexpr std::array<std::string_view, 9> source_endings = {".cpp", ".cc",  ".cu", ".cuh", ".c",
                                                            ".h",   ".hpp", ".py", ".inl"};
constexpr std::array<std::string_view, 11> units = {"bytes", "byte", "KiB", "MiB", "GiB", "TiB",
                                                    "KB",    "MB",   "GB",  "kB",  "B"};
constexpr std::array<std::string_view, 5> pid_words = {"process id", "process", "Process", "pid", "PID"};

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_path(char c) {
  return is_word(c) || c == '/' || c == '.' || c == '-' || c == '+' || c == '~';
}

template <typename Predicate>
size_t run_length(std::string_view text, Predicate predicate) {
  text = text.substr(0, 1024);  // longer than any path; keeps the whole linear
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), predicate) - text.begin());
}

/// Bytes of the UTF-8 character at the start of `text`; 0 if there is none.
size_t character_length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool too_high = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || too_high ? 0 : length;
}

template <typename Predicate>
std::string escape(std::string_view raw, Predicate must_escape) {
  std::string result;
  result.reserve(raw.size());
  while (!raw.empty()) {
    const size_t length = character_length(raw);
    if (length == 0 || must_escape(raw.front()))
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(raw.front()));
    else
      result += raw.substr(0, length);
    raw.remove_prefix(std::max<size_t>(length, 1));
  }
  return result;
}

std::string_view without_suffixes(std::string_view text) {
  for (auto suffix : suffixes) text = text.substr(0, text.find(suffix));
  return text;
}

std::string_view without_trailing_space(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

/// Out-of-memory texts list the other processes of the GPU: "Process 4711 has 1.2 GiB memory in use. ".
std::string without_other_processes(std::string_view text) {
  constexpr std::string_view start = "Process ", end = " memory in use.";
  std::string result;
  while (!text.empty()) {
    const size_t from = std::min(text.find(start), text.size());
    result += text.substr(0, from);
    text.remove_prefix(from);
    const size_t digits = run_length(text.substr(std::min(start.size(), text.size())), is_digit);
    const size_t to = text.find(end);
    const bool sentence = digits > 0 && to != std::string_view::npos && to < start.size() + digits + 40;
    const size_t length = sentence ? to + end.size() : std::min<size_t>(text.size(), 1);
    if (!sentence) result += text.substr(0, length);
    text.remove_prefix(length);
    if (sentence && !text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  return result;
}

/// Walks over a text and replaces what differs between machines. Each `take_…` looks at what comes next and
/// either consumes it, or leaves everything as it is and returns false.
class Replacer {
 public:
  explicit Replacer(std::string_view text) : rest_(text) {}

  std::string run() {
    while (!rest_.empty()) {
      const bool boundary = result_.empty() || !is_word(result_.back());
      if (boundary && (take_address() || take_pid() || take_line() || take_size() || take_path())) continue;
      copy(1);
    }
    return std::move(result_);
  }

 private:
  void copy(size_t length) {
    result_ += rest_.substr(0, length);
    rest_.remove_prefix(length);
  }

  void replace(size_t length, std::string_view by) {
    result_ += by;
    rest_.remove_prefix(length);
  }

  bool take_address() {
    if (!rest_.starts_with("0x")) return false;
    const size_t digits = run_length(rest_.substr(2), is_hex);
    if (digits < 4 || (rest_.size() > digits + 2 && is_word(rest_[digits + 2]))) return false;
    replace(digits + 2, "<address>");
    return true;
  }

  /// `word`, then one of " ", ": ", "=", then a number.
  bool take_numbered(std::string_view word, std::string_view by) {
    if (!rest_.starts_with(word)) return false;
    const auto after = rest_.substr(word.size());
    const size_t gap = run_length(after, [](char c) { return c == ' ' || c == ':' || c == '='; });
    const size_t digits = run_length(after.substr(gap), is_digit);
    if (gap == 0 || gap > 3 || digits == 0) return false;
    copy(word.size() + gap);
    replace(digits, by);
    return true;
  }

  bool take_pid() {
    return std::any_of(pid_words.begin(), pid_words.end(),
                       [this](std::string_view word) { return take_numbered(word, "<pid>"); });
  }

  bool take_line() { return take_numbered("line", "<line>"); }

  bool take_size() {
    size_t length = run_length(rest_, is_digit);
    if (length == 0) return false;
    if (length + 1 < rest_.size() && rest_[length] == '.' && is_digit(rest_[length + 1]))
      length += 1 + run_length(rest_.substr(length + 1), is_digit);
    if (length < rest_.size() && rest_[length] == ' ') ++length;
    for (auto unit : units) {
      const auto after = rest_.substr(length);
      if (!after.starts_with(unit) || (after.size() > unit.size() && is_word(after[unit.size()]))) continue;
      replace(length + unit.size(), "<size>");
      return true;
    }
    return false;
  }

  /// A path, or the name of a source file, which keeps its name; then a line number if one follows.
  bool take_path() {
    size_t length = run_length(rest_, is_path);
    if (length == 0) return false;
    if (rest_.substr(length).starts_with("://")) {
      copy(run_length(rest_, [](char c) { return !std::isspace(static_cast<unsigned char>(c)); }));
      return true;
    }
    while (length > 0 && rest_[length - 1] == '.') --length;  // the full stop of a sentence
    const auto word = rest_.substr(0, length);
    const bool source = std::any_of(
        source_endings.begin(), source_endings.end(),
        [&](std::string_view ending) { return word.size() > ending.size() && word.ends_with(ending); });
    const bool folders = word.find('/') != std::string_view::npos;
    const bool rooted =
        word.size() > 1 && word.find_first_not_of("./~") != std::string_view::npos &&
        (word[0] == '/' || word.starts_with("./") || word.starts_with("../") || word.starts_with("~/"));
    if (!rooted && !source) return false;
    if (folders)
      replace(length, "<path>");
    else
      copy(length);
    take_line_numbers();
    return true;
  }

  /// After a path: `:37`, `":37`, `:37:5`.
  void take_line_numbers() {
    if (rest_.starts_with("\":") && rest_.size() > 2 && is_digit(rest_[2])) copy(1);
    while (rest_.size() > 1 && rest_[0] == ':' && is_digit(rest_[1])) {
      copy(1);
      replace(run_length(rest_, is_digit), "<line>");
    }
  }

  std::string_view rest_;
  std::string result_ = {};
};

}  // namespace

std::string printable(std::string_view raw) {
  return escape(raw, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
  });
}

std::string valid_utf8(std::string_view raw) {
  return escape(raw, [](char) { return false; });
}

std::string normalise(std::string_view raw) {
  const std::string what_happened = without_other_processes(printable(without_suffixes(raw)));
  return Replacer(without_trailing_space(what_happened)).run();
}

}  // namespace cudasem
