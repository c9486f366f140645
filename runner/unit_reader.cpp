#include "unit_reader.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace cudasem {

namespace {

constexpr size_t kMaxLine = 1024 * 1024;

/// The string member `key` of a record; nothing if `text` is no such record: its reader will say so.
std::optional<std::string> member(std::string_view text, const char* key) {
  constexpr int deepest = 2;  // what is looked for stands at the top
  auto shallow = [](int depth, nlohmann::json::parse_event_t, const nlohmann::json&) {
    return depth <= deepest;
  };
  const auto record = nlohmann::json::parse(text, shallow, false);
  if (!record.is_object() || !record.contains(key) || !record[key].is_string()) return {};
  return record[key].get<std::string>();
}

}  // namespace

void UnitReader::feed(std::string_view bytes) {
  if (cases_.size() == 1) return cases_[0].feed(bytes);
  while (!bytes.empty()) {
    const auto newline = bytes.find('\n');
    const auto piece = bytes.substr(0, newline == bytes.npos ? newline : newline + 1);
    partial_ += piece;
    bytes.remove_prefix(piece.size());
    if (newline != bytes.npos || partial_.size() > kMaxLine) line(std::exchange(partial_, {}));
  }
}

/// Only between two cases can a record be about something else than the current one.
void UnitReader::line(std::string_view text) {
  if (hello_.empty()) hello_ = text;
  if (cases_[current_].ended()) {
    const auto word = member(text, "record");
    if (word == "dirt") {
      dirt_[current_].push_back(member(text, "what").value_or("it does not say what"));
      return;
    }
    if (word == "begin" && current_ + 1 < cases_.size())
      cases_[++current_].feed(hello_);  // said once for all
  }
  cases_[current_].feed(text);
}

Observed UnitReader::finish(const Ending& ending, bool timed_out, std::string_view err) {
  if (!partial_.empty()) cases_[current_].feed(std::exchange(partial_, {}));
  return cases_[current_].finish(ending, timed_out, err);
}

Observed UnitReader::observed_before_next(size_t index) {
  Ending ending;
  ending.exit = 0;
  return cases_[index].finish(ending, false, {});
}

}  // namespace cudasem
