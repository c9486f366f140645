// JSON from outside: what a parser would swallow, and later stumble over, is refused here.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace cudasem {

/// Nested deeper, a value would exhaust the stack of whoever copies or prints it. A record's value may stand
/// somewhat deeper in the log.
inline constexpr int kDeepestRecord = 16;
inline constexpr int kDeepestEvent = 24;

/// Throws nlohmann::json::parse_error for what is no JSON, std::runtime_error for what is nested deeper than
/// `deepest`.
nlohmann::json parse_json(std::string_view text, int deepest);

/// Throws std::runtime_error, naming `what`, for anything but a whole number of at most 32 bits (a plain
/// conversion takes 4294967297 for 1).
int whole_number(const nlohmann::json& value, std::string_view what);

/// The same of a member; throws nlohmann::json::exception where it is missing.
int whole_number_at(const nlohmann::json& object, const char* key);

}  // namespace cudasem
