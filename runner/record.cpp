#include "record.h"

#include <fmt/format.h>

#include <stdexcept>

#include "json_reading.h"
#include "normalise.h"

namespace cudasem {

namespace {

constexpr size_t kMaxLine = 1024 * 1024;
constexpr size_t kRawKept = 1024;

/// The deciding effect: a failed assertion wherever it stands, else the first.
const Effect* deciding(const std::vector<Effect>& effects) {
  for (const auto& effect : effects)
    if (effect.outcome == Outcome::fail) return &effect;
  return effects.empty() ? nullptr : &effects.front();
}

}  // namespace

std::string excerpt(std::string_view bytes, size_t limit) {
  std::string result = printable(bytes.substr(0, limit));
  if (bytes.size() > limit) result += fmt::format(" … ({} bytes)", bytes.size());
  return result;
}

std::string crash_text(std::string_view err) {
  std::string last;
  while (!err.empty()) {
    auto line = err.substr(0, err.find('\n'));
    err.remove_prefix(std::min(err.size(), line.size() + 1));
    if (auto what = line.find("what():"); what != line.npos) {
      line.remove_prefix(what + 7);
      return std::string(line.substr(std::min(line.size(), line.find_first_not_of(' '))));
    }
    if (line.find_first_not_of(" \t\r") != line.npos) last = line;
  }
  return last;
}

void RecordReader::feed(std::string_view bytes) {
  while (!bytes.empty() && state_ != State::violated) {
    auto newline = bytes.find('\n');
    auto piece = bytes.substr(0, newline);
    if (partial_.size() + piece.size() > kMaxLine)
      return violate("a record of at most 1 MiB was expected, a longer line found",
                     partial_ + std::string(piece));
    partial_ += piece;
    if (newline == bytes.npos) return;
    line(std::exchange(partial_, {}));
    bytes.remove_prefix(newline + 1);
  }
}

void RecordReader::violate(std::string_view why, std::string_view raw) {
  begun_before_violation_ = begun();
  ended_before_violation_ = ended();
  state_ = State::violated;
  violation_ = fmt::format("{}: {}", why, excerpt(raw, kRawKept));
}

void RecordReader::line(std::string_view text) {
  try {
    apply(parse_json(text, kDeepestRecord));
  } catch (const nlohmann::json::parse_error&) {
    violate("a record (one JSON object a line) was expected, something else found", text);
  } catch (const std::exception& error) {  // a member that is missing, mistyped or not allowed here
    violate(error.what(), text);
  }
}

void RecordReader::apply(const nlohmann::json& record) {
  const std::string word = record.at("record");
  if (!greeted_ && word != "hello")
    throw std::runtime_error(fmt::format("`hello` was expected first, `{}` found", word));
  auto only_while = [&](State state, std::string_view when) {
    if (state_ != state) throw std::runtime_error(fmt::format("`{}` is allowed only {}", word, when));
  };
  if (word == "hello") {
    if (greeted_) throw std::runtime_error("one `hello` was expected, a second one found");
    greeted_ = true;
    if (const int protocol = whole_number_at(record, "protocol"); protocol != kProtocol)
      throw std::runtime_error(fmt::format("record protocol {} was expected, {} found", kProtocol, protocol));
  } else if (word == "begin") {
    only_while(State::starting, "once");
    begin(record);
  } else if (word == "mark") {
    last_label_ = record.at("label");
  } else if (word == "observe") {
    only_while(State::running, "between `begin` and `end`");
    observe(record);
  } else if (word == "fact") {
    only_while(State::running, "between `begin` and `end`");
    observed_.facts[record.at("key")] = record.at("value");
  } else if (word == "row") {
    only_while(State::running, "between `begin` and `end`");
    if (!record.at("cells").is_object()) throw std::runtime_error("the `cells` of a row are an object");
    observed_.rows.push_back(
        {{"table", record.at("table").get<std::string>()}, {"cells", record.at("cells")}});
  } else if (word == "warning") {
    observed_.warnings.push_back(record.at("text"));
  } else if (word == "end") {
    only_while(State::running, "once, after `begin`");
    end(record);
  } else if (word != "bye") {
    throw std::runtime_error(fmt::format("record `{}` is not known", word));
  }
}

void RecordReader::begin(const nlohmann::json& record) {
  if (std::string id = record.at("case"); id != id_)
    throw std::runtime_error(fmt::format("`begin` of {} was expected, of {} found", id_, id));
  if (std::string hash = record.at("hash"); !hash_.empty() && hash != hash_)
    throw std::runtime_error(
        fmt::format("hash {} was expected, {} found (rebuilt meanwhile? run again)", hash_, hash));
  state_ = State::running;
}

void RecordReader::end(const nlohmann::json& record) {
  if (std::string id = record.at("case"); id != id_)
    throw std::runtime_error(fmt::format("`end` of {} was expected, of {} found", id_, id));
  state_ = State::ended;
}

void RecordReader::observe(const nlohmann::json& record) {
  Effect effect;
  const std::string word = record.at("outcome");
  auto outcome = parse_outcome(word);
  using enum Outcome;
  if (!outcome || (*outcome != error && *outcome != corrupt && *outcome != fail && *outcome != skip))
    throw std::runtime_error(fmt::format("outcome `{}` cannot be observed by a case", word));
  effect.outcome = *outcome;
  effect.at = record.value("at", "");
  effect.text = record.value("text", "");
  effect.normalised = normalise(effect.text);
  if (effect.outcome == error) {
    effect.type = record.at("type");
    if (record.contains("code") && !record["code"].is_null()) effect.code = whole_number_at(record, "code");
    if (effect.at != "body") last_label_ = effect.at;
  } else if (effect.outcome == corrupt) {
    effect.memory_class = record.at("class");
    effect.want = record.at("want");
    effect.got = record.at("got");
  } else if (effect.outcome == fail) {
    effect.setup = record.value("setup", false);
  } else if (skip_detail_.empty()) {
    skip_detail_ = record.at("detail");
  }
  observed_.effects.push_back(std::move(effect));
}

void RecordReader::decide() {
  const Effect* effect = deciding(observed_.effects);
  observed_.outcome = effect ? effect->outcome : Outcome::ok;
  if (!effect) return;
  observed_.at = effect->at;
  observed_.text = effect->text;
  if (effect->outcome == Outcome::skip) observed_.detail = skip_detail_;
  if (effect->setup) observed_.detail = "setup";
}

Observed RecordReader::finish(const Ending& ending, bool timed_out, std::string_view err) {
  if (!partial_.empty() && state_ != State::violated)
    violate("a whole record was expected, half a line found", std::exchange(partial_, {}));
  observed_.signal = ending.signal;
  observed_.exit = ending.exit;
  if (ending.leftovers) observed_.warnings.push_back("processes that the case started outlived it");

  const bool died = !ending.signal.empty() || ending.exit.value_or(0) != 0;
  auto missing = [&](std::string_view detail, std::string text) {
    observed_.outcome = Outcome::missing;
    observed_.detail = detail;
    observed_.text = std::move(text);
  };
  if (!begun() && state_ == State::violated && !died && !timed_out) {
    missing("protocol", violation_);
  } else if (!begun()) {
    auto said = crash_text(err);
    missing("no_begin", timed_out ? "the case did not begin within the start-up limit" : said);
  } else if (timed_out || died) {
    observed_.outcome = timed_out ? Outcome::hang : Outcome::crash;
    observed_.at = ended() || ended_before_violation_ ? "exit" : last_label_;
    if (!timed_out) observed_.text = crash_text(err);
  } else if (state_ == State::violated) {
    missing("protocol", violation_);
  } else if (state_ == State::running) {
    missing("silent", "the case began and its process exited with 0, without `end`");
  } else {
    decide();
  }
  return observed_;
}

}  // namespace cudasem
