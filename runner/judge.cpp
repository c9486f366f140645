#include "judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "normalise.h"

namespace cudasem {

namespace {

std::string shortened(std::string text) {
  constexpr size_t most = 160;
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() <= most) return text;
  size_t cut = most;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
  return text.substr(0, cut) + "…";
}

std::string normalised(const Effect& effect) {
  return effect.normalised.empty() ? normalise(effect.text) : effect.normalised;
}

/// The deciding effect, as if it had been recorded: a crash, a hang or a skip has its details beside the
/// records.
Effect first_effect(const Observed& observed) {
  const bool recorded = observed.outcome == Outcome::error || observed.outcome == Outcome::corrupt;
  if (recorded && !observed.effects.empty()) return observed.effects.front();
  Effect effect;
  effect.outcome = observed.outcome;
  effect.at = observed.at;
  effect.text = observed.text;
  return effect;
}

/// All others, in order.
std::vector<Effect> further_effects(const Observed& observed) {
  std::vector<Effect> further = observed.effects;
  const bool recorded = observed.outcome == Outcome::error || observed.outcome == Outcome::corrupt;
  if (recorded && !further.empty()) further.erase(further.begin());
  if (observed.outcome == Outcome::skip)
    std::erase_if(further, [](const Effect& effect) { return effect.outcome == Outcome::skip; });
  return further;
}

/// What a record cannot say: signal, exit status and detail belong to the attempt.
bool ending_matches(const ExpectedEffect& expected, const Observed& observed) {
  if (!expected.signal.empty() && expected.signal != observed.signal) return false;
  if (expected.exit && (expected.exit != observed.exit || !observed.signal.empty())) return false;
  return expected.detail.empty() || expected.detail == observed.detail;
}

bool effect_matches(const ExpectedEffect& expected, const Effect& seen) {
  auto same = [](const std::string& want, const std::string& got) { return want.empty() || want == got; };
  return expected.outcome == seen.outcome && same(expected.at, seen.at) && same(expected.type, seen.type) &&
         (!expected.code || expected.code == seen.code) && same(expected.memory_class, seen.memory_class) &&
         same(expected.want, seen.want) && (expected.got == "any" || same(expected.got, seen.got)) &&
         (!expected.text || expected.text->found_in(normalised(seen)));
}

bool course_matches(const ExpectedCourse& course, const Observed& observed) {
  const auto further = further_effects(observed);
  return observed.outcome == course.first.outcome && effect_matches(course.first, first_effect(observed)) &&
         ending_matches(course.first, observed) && further.size() == course.then.size() &&
         std::equal(course.then.begin(), course.then.end(), further.begin(), effect_matches);
}

std::string text(const ExpectedFact& fact) {
  if (fact.exact) return fact.exact->dump();
  if (!fact.min) return fmt::format("at most {}", *fact.max);
  if (!fact.max) return fmt::format("at least {}", *fact.min);
  return fmt::format("{} to {}", *fact.min, *fact.max);
}

bool fact_matches(const ExpectedFact& expected, const nlohmann::json& seen) {
  if (expected.exact) return *expected.exact == seen;
  if (!seen.is_number()) return false;
  const double value = seen.get<double>();
  return (!expected.min || value >= *expected.min) && (!expected.max || value <= *expected.max);
}

std::optional<std::string> fact_mismatch(const Expectation& entry, const Observed& observed) {
  for (const auto& [key, fact] : entry.facts) {
    const auto seen = observed.facts.find(key);
    if (seen == observed.facts.end())
      return fmt::format("expected fact {} = {}, but it was not reported", key, text(fact));
    if (!fact_matches(fact, seen->second))
      return fmt::format("expected fact {} = {}, saw {}", key, text(fact), shortened(seen->second.dump()));
  }
  return std::nullopt;
}

std::optional<std::string> warning_mismatch(const Expectation& entry, const Observed& observed) {
  if (!entry.warning) return std::nullopt;
  for (const auto& warning : observed.warnings)
    if (entry.warning->found_in(normalise(warning))) return std::nullopt;
  return fmt::format("expected a warning with /{}/, saw {}", entry.warning->written(),
                     observed.warnings.empty() ? "none" : "\"" + shortened(observed.warnings.front()) + "\"");
}

bool setup_failed(const Observed& observed) {
  return observed.outcome == Outcome::fail && observed.detail == "setup";
}

/// How loud a misuse is; nothing for outcomes that are not on this scale.
std::optional<int> loudness(Outcome outcome) {
  switch (outcome) {
    case Outcome::corrupt:
      return 0;
    case Outcome::hang:
      return 1;
    case Outcome::crash:
      return 2;
    case Outcome::error:
      return 3;
    default:
      return std::nullopt;
  }
}

using Courses = std::span<const ExpectedCourse>;

/// A wrong way that went otherwise: compared with every course that was foretold.
Verdict of_misuse(Courses courses, Outcome seen) {
  const auto here = loudness(seen);
  if (!here) return Verdict::changed;
  auto all = [&](auto compare) {
    return std::all_of(courses.begin(), courses.end(), [&](const ExpectedCourse& course) {
      const auto there = loudness(course.first.outcome);
      return there && compare(*here, *there);
    });
  };
  if (all(std::less{})) return Verdict::regression;
  return all(std::greater{}) ? Verdict::improvement : Verdict::changed;
}

/// A promise that went otherwise.
Verdict of_rule(Courses courses, Outcome seen) {
  const auto is_ok = [](const ExpectedCourse& course) { return course.first.outcome == Outcome::ok; };
  if (seen != Outcome::ok && std::all_of(courses.begin(), courses.end(), is_ok)) return Verdict::regression;
  if (seen == Outcome::ok && std::none_of(courses.begin(), courses.end(), is_ok)) return Verdict::improvement;
  return Verdict::changed;
}

/// What is expected where nothing is written down.
const Expectation& nothing_but_ok() {
  static const Expectation entry = [] {
    Expectation ok;
    ok.courses.emplace_back();
    return ok;
  }();
  return entry;
}

Judgement single(Verdict verdict, std::string reason) {
  return {verdict, std::move(reason), verdict == Verdict::as_expected ? 1 : 0, 1};
}

Judgement judge_observation(const Expectation& entry, const Observed& observed) {
  const bool died = observed.outcome == Outcome::crash || observed.outcome == Outcome::hang;
  if (!died && !setup_failed(observed)) return single(Verdict::as_expected, "");
  const auto difference = mismatch(entry, observed);
  return difference ? single(Verdict::changed, *difference) : single(Verdict::as_expected, "");
}

bool needs_entry(Kind kind, std::string_view way) {
  return kind == Kind::misuse && way != "right";
}

std::string no_entry(const Subject& subject, const Observed& observed) {
  const std::string profile = subject.profile == "native" ? "" : fmt::format(", profile {}", subject.profile);
  return fmt::format("no entry in expected/ covers torch {}{}; saw {}", subject.torch, profile,
                     text(observed));
}

}  // namespace

std::string text(const Effect& effect) {
  std::string result(name(effect.outcome));
  if (effect.setup) result += " (setup)";
  if (effect.code) result += fmt::format(" {}", *effect.code);
  if (!effect.type.empty()) result += " " + effect.type;
  if (!effect.memory_class.empty()) result += fmt::format(" ({})", effect.memory_class);
  if (!effect.at.empty()) result += fmt::format(" at \"{}\"", effect.at);
  if (effect.outcome == Outcome::corrupt)
    result += fmt::format(", {} instead of {}", effect.got, effect.want);
  if (!effect.text.empty()) result += fmt::format(": \"{}\"", shortened(normalised(effect)));
  return result;
}

std::string text(const Observed& observed) {
  std::string result;
  if (observed.outcome == Outcome::error || observed.outcome == Outcome::corrupt) {
    result = text(first_effect(observed));
  } else {
    result = name(observed.outcome);
    if (!observed.detail.empty()) result += fmt::format(" ({})", observed.detail);
    if (observed.outcome == Outcome::crash && !observed.signal.empty()) result += " " + observed.signal;
    if (observed.outcome == Outcome::crash && observed.signal.empty() && observed.exit)
      result += fmt::format(" with exit status {}", *observed.exit);
    if (!observed.at.empty()) result += fmt::format(" at \"{}\"", observed.at);
    if (!observed.text.empty()) result += fmt::format(": \"{}\"", shortened(normalise(observed.text)));
  }
  if (observed.outcome == Outcome::fail)
    return result;  // the failed assertion stands among its further effects
  for (const auto& effect : further_effects(observed)) result += ", then " + text(effect);
  return result;
}

std::optional<std::string> mismatch(const Expectation& entry, const Observed& observed) {
  const bool foretold =
      std::any_of(entry.courses.begin(), entry.courses.end(),
                  [&](const ExpectedCourse& course) { return course_matches(course, observed); });
  if (!foretold) return fmt::format("expected {}; saw {}", text(entry), text(observed));
  if (auto fact = fact_mismatch(entry, observed)) return fact;
  return warning_mismatch(entry, observed);
}

Judgement judge(const Expectation* entry, Kind kind, std::string_view way, const Observed& observed,
                const Subject& subject) {
  if (observed.outcome == Outcome::missing)
    return single(Verdict::missing, fmt::format("no result: {}", text(observed)));
  const Expectation& expected = entry ? *entry : nothing_but_ok();
  const auto difference = mismatch(expected, observed);
  const bool has_entry = entry || !needs_entry(kind, way);
  if (has_entry && !difference) return single(Verdict::as_expected, "");
  if (observed.outcome == Outcome::skip) {
    const bool more = std::any_of(observed.effects.begin(), observed.effects.end(),
                                  [](const Effect& effect) { return effect.outcome != Outcome::skip; });
    return single(more ? Verdict::changed : Verdict::skipped, text(observed));
  }
  if (!has_entry) return single(Verdict::changed, no_entry(subject, observed));
  if (kind == Kind::observe || kind == Kind::measure) return judge_observation(expected, observed);
  const bool wrong_way = needs_entry(kind, way);
  return single(
      wrong_way ? of_misuse(expected.courses, observed.outcome) : of_rule(expected.courses, observed.outcome),
      *difference);
}

bool is_fine(Verdict verdict) {
  return verdict == Verdict::as_expected || verdict == Verdict::skipped;
}

bool is_fine(const Judgement& judgement) {
  return is_fine(judgement.verdict) || judgement.waived;
}

void waive(Judgement& judgement, const Waivers& waivers, const std::string& id, Outcome outcome) {
  if (is_fine(judgement.verdict)) return;
  if (const Waiver* waiver = waivers.find(id, outcome)) judgement.waived = *waiver;
}

std::string counted_as(const Judgement& judgement) {
  return judgement.waived ? "waived" : std::string(name(judgement.verdict));
}

bool are_fine(const std::map<std::string, int>& counts) {
  return std::all_of(counts.begin(), counts.end(), [](const auto& count) {
    return count.first == "waived" || count.first == name(Verdict::as_expected) ||
           count.first == name(Verdict::skipped);
  });
}

Judgement combine(const std::vector<Judgement>& attempts) {
  constexpr std::array worst_first = {Verdict::missing,     Verdict::regression, Verdict::changed,
                                      Verdict::improvement, Verdict::skipped,    Verdict::as_expected};
  if (attempts.empty()) return {Verdict::missing, "no result: planned, and never finished", 0, 0, {}};
  const auto badness = [&](const Judgement& judgement) {
    return std::find(worst_first.begin(), worst_first.end(), judgement.verdict);
  };
  Judgement result = *std::min_element(attempts.begin(), attempts.end(),
                                       [&](const auto& a, const auto& b) { return badness(a) < badness(b); });
  result.n = static_cast<int>(attempts.size());
  result.k = static_cast<int>(std::count_if(attempts.begin(), attempts.end(), [](const Judgement& judgement) {
    return judgement.verdict == Verdict::as_expected;
  }));
  const bool fine =
      std::all_of(attempts.begin(), attempts.end(), [](const Judgement& one) { return is_fine(one); });
  if (!fine) result.waived.reset();
  if (result.k == 0 || result.k == result.n) return result;
  result.verdict = Verdict::flaky;
  result.reason =
      fmt::format("{} of {} repeats were as expected; otherwise: {}", result.k, result.n, result.reason);
  return result;
}

}  // namespace cudasem
