// Versions and ranges of versions, as conditions of expectations use them: torch, cuda, driver, cc, and a
// count of GPUs.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudasem {

/// The release segment of a version: "2.16.0.dev20260901+cu132" is 2.16.0. Parts that are not written are 0,
/// so that 2.13 and 2.13.0 are one version.
class Version {
 public:
  constexpr Version() = default;
  constexpr Version(int major, int minor = 0, int patch = 0, int fourth = 0)
      : parts_{major, minor, patch, fourth} {}

  /// Nothing if `text` does not start with a number, or has more than four parts.
  static std::optional<Version> parse(std::string_view text);

  /// At least major and minor, without zeros at the end: "2.13", "2.14.1".
  std::string text() const;

  constexpr int first() const { return parts_[0]; }

  auto operator<=>(const Version&) const = default;

 private:
  std::array<int, 4> parts_{};
};

/// An interval over versions. Every version is at or above 0; without `high` there is no upper end.
struct Range {
  struct End {
    Version version = {};
    bool included = true;
    bool operator==(const End&) const = default;
  };
  End low = {};
  std::optional<End> high = {};

  bool contains(const Version& version) const;
  bool empty() const;

  /// ">=2.13, <2.15"; "any" for all versions; "==2.11" for one.
  std::string text() const;

  bool operator==(const Range&) const = default;
};

/// Comma-separated comparisons (>=, >, <=, <, ==), all of which hold. Throws std::invalid_argument, saying
/// what was found and what is expected, for anything else and for a range that no version is in.
Range parse_range(std::string_view text);

Range intersect(const Range& one, const Range& other);

/// What is in `from` and not in `taken`: none, one or two ranges, in ascending order.
std::vector<Range> subtract(const Range& from, const Range& taken);

}  // namespace cudasem
