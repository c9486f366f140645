#include "conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace cudasem {

namespace {

constexpr size_t gpus = 4;

/// A count has no values between whole numbers: ">1" is ">=2" and "<=1" is "<2", so that neighbours touch.
Range of_whole_numbers(Range range) {
  auto next = [](const Version& version) { return Version(version.first() + 1); };
  auto whole = [](const Version& version) { return version == Version(version.first()); };
  if (!whole(range.low.version) || !range.low.included) range.low = {next(range.low.version), true};
  if (range.high && (!whole(range.high->version) || range.high->included))
    range.high = Range::End{next(range.high->version), false};
  return range;
}

/// A count is written without the ".0" of a version.
std::string range_text(size_t dimension, const Range& range) {
  std::string result = range.text();
  if (dimension == gpus)
    for (auto zero = result.find(".0"); zero != std::string::npos; zero = result.find(".0"))
      result.erase(zero, 2);
  return result;
}

std::array<std::optional<Version>, 5> coordinates(const Subject& subject) {
  return {Version::parse(subject.torch), Version::parse(subject.cuda), Version::parse(subject.driver),
          Version::parse(subject.cc), Version(subject.gpus)};
}

}  // namespace

void Conditions::restrict(std::string_view dimension, std::string_view range) {
  const auto* found = std::find(dimensions.begin(), dimensions.end(), dimension);
  if (found == dimensions.end()) throw std::invalid_argument(fmt::format("no dimension `{}`", dimension));
  const auto index = static_cast<size_t>(found - dimensions.begin());
  auto parsed = parse_range(range);
  if (index == gpus) parsed = of_whole_numbers(parsed);
  ranges[index] = intersect(ranges[index], parsed);
  written[std::string(dimension)] = range;
}

bool Conditions::hold(const Subject& subject) const {
  const auto here = coordinates(subject);
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i] == Range{} && !written.count(std::string(dimensions[i]))) continue;
    if (!here[i] || !ranges[i].contains(*here[i])) return false;
  }
  return profile == subject.profile;
}

std::string Conditions::text() const {
  std::string result;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i] == Range{}) continue;
    result += fmt::format("{}{} {}", result.empty() ? "" : "; ", dimensions[i], range_text(i, ranges[i]));
  }
  if (profile != "native") result += fmt::format("{}profile {}", result.empty() ? "" : "; ", profile);
  return result.empty() ? "everything" : result;
}

bool overlap(const Conditions& one, const Conditions& other) {
  if (one.profile != other.profile) return false;
  for (size_t i = 0; i < one.ranges.size(); ++i)
    if (intersect(one.ranges[i], other.ranges[i]).empty()) return false;
  return true;
}

namespace {

/// `whole` without `part`: for each dimension what lies beside `part` there, and inside it in all earlier
/// ones.
std::vector<Conditions> subtract_box(Conditions whole, const Conditions& part) {
  std::vector<Conditions> rest;
  for (size_t i = 0; i < whole.ranges.size(); ++i)
    if (intersect(whole.ranges[i], part.ranges[i]).empty()) return {whole};
  for (size_t i = 0; i < whole.ranges.size(); ++i) {
    for (const auto& beside : subtract(whole.ranges[i], part.ranges[i])) {
      rest.push_back(whole);
      rest.back().ranges[i] = beside;
    }
    whole.ranges[i] = intersect(whole.ranges[i], part.ranges[i]);
  }
  return rest;
}

}  // namespace

std::vector<Conditions> uncovered(const Conditions& whole, const std::vector<Conditions>& parts) {
  std::vector<Conditions> rest = {whole};
  for (const auto& part : parts) {
    std::vector<Conditions> smaller;
    for (const auto& box : rest)
      for (auto& piece : subtract_box(box, part)) smaller.push_back(std::move(piece));
    rest = std::move(smaller);
  }
  return rest;
}

}  // namespace cudasem
