#include "version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

namespace cudasem {

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

/// The numbers at the start, and how many characters they take; 0 if there is none or one too many.
size_t read_parts(std::string_view text, std::array<int, 4>& parts) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* here = begin;
  for (size_t count = 0;; ++count) {
    int part = 0;
    auto [next, problem] = std::from_chars(here, end, part);
    if (problem != std::errc() || part < 0 || count == parts.size()) return 0;
    parts[count] = part;
    here = next;
    const bool another =
        end - here >= 2 && here[0] == '.' && std::isdigit(static_cast<unsigned char>(here[1]));
    if (!another) return static_cast<size_t>(here - begin);
    ++here;
  }
}

/// One comparison, "≥ 2.13" written as ">=2.13".
Range parse_comparison(std::string_view text) {
  constexpr std::string_view signs = "<>=!~";
  const size_t length = std::min(text.find_first_not_of(signs), text.size());
  const auto sign = text.substr(0, length);
  const auto number = trim(text.substr(length));
  std::array<int, 4> parts{};
  if (number.empty() || read_parts(number, parts) != number.size())
    throw std::invalid_argument(
        fmt::format("\"{}\" is no comparison: something like >=2.13, <2.15 or ==2.11.0 was expected", text));
  const Version version(parts[0], parts[1], parts[2], parts[3]);
  if (sign == ">=") return {{version, true}, {}};
  if (sign == ">") return {{version, false}, {}};
  if (sign == "<=") return {{}, Range::End{version, true}};
  if (sign == "<") return {{}, Range::End{version, false}};
  if (sign == "==") return {{version, true}, Range::End{version, true}};
  throw std::invalid_argument(
      fmt::format("\"{}\" starts with \"{}\": >=, >, <=, < or == was expected", text, sign));
}

}  // namespace

std::optional<Version> Version::parse(std::string_view text) {
  std::array<int, 4> parts{};
  if (read_parts(trim(text), parts) == 0) return std::nullopt;
  return Version(parts[0], parts[1], parts[2], parts[3]);
}

std::string Version::text() const {
  size_t count = parts_.size();
  while (count > 2 && parts_[count - 1] == 0) --count;
  std::string result = std::to_string(parts_[0]);
  for (size_t i = 1; i < count; ++i) result += fmt::format(".{}", parts_[i]);
  return result;
}

bool Range::contains(const Version& version) const {
  const bool above = low.included ? version >= low.version : version > low.version;
  const bool below = !high || (high->included ? version <= high->version : version < high->version);
  return above && below;
}

bool Range::empty() const {
  if (!high || low.version < high->version) return false;
  return low.version > high->version || !low.included || !high->included;
}

std::string Range::text() const {
  if (empty()) return "nothing";
  if (high && high->version == low.version) return "==" + low.version.text();
  std::string result;
  if (low != End{}) result = (low.included ? ">=" : ">") + low.version.text();
  if (high) {
    if (!result.empty()) result += ", ";
    result += (high->included ? "<=" : "<") + high->version.text();
  }
  return result.empty() ? "any" : result;
}

Range intersect(const Range& one, const Range& other) {
  auto higher = [](const Range::End& a, const Range::End& b) {
    if (a.version != b.version) return a.version > b.version ? a : b;
    return a.included ? b : a;
  };
  auto lower = [](const Range::End& a, const Range::End& b) {
    if (a.version != b.version) return a.version < b.version ? a : b;
    return a.included ? b : a;
  };
  Range result;
  result.low = higher(one.low, other.low);
  if (one.high && other.high)
    result.high = lower(*one.high, *other.high);
  else
    result.high = one.high ? one.high : other.high;
  return result;
}

std::vector<Range> subtract(const Range& from, const Range& taken) {
  std::vector<Range> result;
  auto keep = [&](const Range& below_or_above) {
    if (auto rest = intersect(from, below_or_above); !rest.empty()) result.push_back(rest);
  };
  if (from.empty()) return result;
  if (intersect(from, taken).empty()) return {from};
  keep({{}, Range::End{taken.low.version, !taken.low.included}});
  if (taken.high) keep({Range::End{taken.high->version, !taken.high->included}, {}});
  return result;
}

Range parse_range(std::string_view text) {
  Range result;
  for (std::string_view rest = text;;) {
    const size_t comma = rest.find(',');
    result = intersect(result, parse_comparison(trim(rest.substr(0, comma))));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (result.empty())
    throw std::invalid_argument(
        fmt::format("no version is in the range \"{}\": turn a comparison round", trim(text)));
  return result;
}

}  // namespace cudasem
