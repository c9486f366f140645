#include "waivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>

#include "events.h"
#include "toml_fields.h"

namespace cudasem {

namespace {

Waiver read_waiver(const TomlFields& fields) {
  fields.only({"case", "outcome", "owner", "link", "expires"}, "a waiver");
  fields.need("case", "the id that is waived, with its way");
  fields.need("outcome", "what it shows: another outcome is not waived");
  fields.need("owner", "who sees to it");
  fields.need("link", "where it is seen to");
  if (!fields.has("expires"))
    fields.problem("expires", "`expires` is missing: the last day on which it holds, 2027-01-31");
  Waiver waiver{.id = fields.string("case").value_or(""),
                .owner = fields.string("owner").value_or(""),
                .link = fields.string("link").value_or(""),
                .expires = fields.date("expires").value_or(""),
                .line = fields.line("case")};
  const std::string word = fields.string("outcome").value_or("");
  if (const auto outcome = parse_outcome(word); outcome && *outcome != Outcome::skip) {
    waiver.outcome = *outcome;
  } else if (!word.empty()) {
    fields.problem("outcome",
                   fmt::format("`outcome` is \"{}\": ok, error, corrupt, fail, crash, hang or missing was "
                               "expected",
                               word));
  }
  if (!waiver.link.empty() && !waiver.link.starts_with("https://"))
    fields.problem("link", fmt::format("`link` is \"{}\": an https:// address was expected", waiver.link));
  return waiver;
}

}  // namespace

nlohmann::json to_json(const Waiver& waiver) {
  return {{"owner", waiver.owner}, {"link", waiver.link}, {"expires", waiver.expires}};
}

Waiver waiver_from_json(const nlohmann::json& json) {
  return {
      .owner = json.value("owner", ""), .link = json.value("link", ""), .expires = json.value("expires", "")};
}

std::string text(const Waiver& waiver) {
  return fmt::format("until {}: {}, {}", waiver.expires, waiver.owner, waiver.link);
}

std::string expired_text(const Waiver& waiver) {
  return fmt::format("expired waiver: {} ({}) was waived until {} and counts again: {}, {}", waiver.id,
                     name(waiver.outcome), waiver.expires, waiver.owner, waiver.link);
}

Waivers Waivers::read(const TomlTree& tree, const std::string& file, const std::string& today,
                      std::vector<Problem>& problems) {
  const TomlFields document(tree, file, problems);
  document.only({"waiver"}, "a file of waivers");
  Waivers waivers;
  waivers.today_ = today;
  for (const auto* table : document.tables("waiver")) {
    const TomlFields fields(*table, file, problems);
    Waiver waiver = read_waiver(fields);
    const bool twice = std::any_of(waivers.all_.begin(), waivers.all_.end(), [&](const Waiver& other) {
      return other.id == waiver.id && other.outcome == waiver.outcome;
    });
    if (twice)
      fields.problem("case", fmt::format("{} is waived twice for this outcome: remove one", waiver.id));
    waivers.all_.push_back(std::move(waiver));
  }
  return waivers;
}

Waivers Waivers::load(const std::filesystem::path& path, std::vector<Problem>& problems) {
  if (path.empty()) return {};
  const std::string name = path.filename().string();
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file || std::filesystem::is_directory(path)) {
    problems.push_back(
        {Severity::error, name, 0, "the file cannot be read: one with [[waiver]] was expected"});
    return {};
  }
  try {
    return read(parse_toml(text.str()), name, cudasem::today(), problems);
  } catch (const TomlError& error) {
    problems.push_back({Severity::error, name, error.line, error.what()});
    return {};
  }
}

const Waiver* Waivers::find(const std::string& id, Outcome outcome) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Waiver& waiver) {
    return waiver.id == id && waiver.outcome == outcome && !waiver.expired(today_);
  });
  return found == all_.end() ? nullptr : &*found;
}

std::vector<Waiver> Waivers::expired() const {
  std::vector<Waiver> found;
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(found),
               [&](const Waiver& waiver) { return waiver.expired(today_); });
  return found;
}

std::string today() {
  return events::utc(std::time(nullptr)).substr(0, 10);
}

}  // namespace cudasem
