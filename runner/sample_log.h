// Events for tests: one line of a log each, with as little in it as readers need.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "outcome.h"

namespace cudasem::sample {

inline std::string key(const std::string& id) {
  return id + " | torch 2.14.1+cu130 | native";
}

inline nlohmann::json run() {
  return {{"event", "run"}, {"schema", 1}, {"id", "r1"}, {"expected_hash", "0123"}, {"profile", "native"}};
}

inline nlohmann::json machine() {
  return {{"event", "machine"},
          {"driver", "580.159.03"},
          {"gpus", {{{"index", 0}, {"cc", "9.0"}}, {{"index", 1}, {"cc", "10.0"}}}}};
}

inline nlohmann::json subject() {
  return {{"event", "subject"}, {"torch", "2.14.1+cu130"}, {"cuda_runtime", "13.0"}};
}

/// `kind` and `way` follow from the id: a misuse has a way, others are rules.
inline nlohmann::json plan(const std::string& id, const std::string& hash = "h1") {
  const auto slash = id.find('/');
  const bool misuse = slash != std::string::npos;
  return {{"event", "plan"},
          {"key", key(id)},
          {"id", id},
          {"case", id.substr(0, slash)},
          {"hash", hash},
          {"way", misuse ? id.substr(slash + 1) : ""},
          {"profile", "native"},
          {"kind", misuse ? "misuse" : "rule"},
          {"expectation", nullptr}};
}

inline nlohmann::json begin(const std::string& id, int gpu = 0) {
  return {{"event", "begin"}, {"key", key(id)}, {"attempt", 1}, {"gpu", gpu}};
}

inline nlohmann::json end(const std::string& id, const Observed& observed) {
  nlohmann::json event = to_json(observed);
  event["event"] = "end";
  event["key"] = key(id);
  return event;
}

inline nlohmann::json verdict(const std::string& id, const std::string& word, int k = 1, int n = 1) {
  return {{"event", "verdict"}, {"key", key(id)}, {"verdict", word}, {"k", k}, {"n", n}};
}

inline nlohmann::json finish(int exit = 0) {
  return {{"event", "finish"}, {"counts", nlohmann::json::object()}, {"exit", exit}, {"t_ms", 7}};
}

inline Observed ok() {
  Observed observed;
  observed.outcome = Outcome::ok;
  return observed;
}

/// Error `code` at `at`, and nothing else.
inline Observed error(int code, const std::string& at = "item") {
  Observed observed;
  observed.outcome = Outcome::error;
  observed.at = at;
  observed.effects = {{.outcome = Outcome::error, .at = at, .type = "c10::AcceleratorError", .code = code}};
  return observed;
}

inline std::string text(const std::vector<nlohmann::json>& events) {
  std::string lines;
  for (const auto& event : events) lines += event.dump() + "\n";
  return lines;
}

}  // namespace cudasem::sample
