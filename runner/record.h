// The record protocol (INTERPRETING.md section 4): bytes of one case go in, what was observed comes out.
#pragma once

#include <string>
#include <string_view>

#include "outcome.h"
#include "process.h"

namespace cudasem {

inline constexpr int kProtocol = 1;

/// Reads the records of one attempt at one case as they arrive:
///
///     starting ── begin ──► running ── end ──► ended
///         └────────────┬───────┴─────────────────┘
///                      ▼ anything the protocol does not allow
///                   violated (further bytes are ignored)
///
/// The caller watches the clock: start-up until `begun()`, then the case's own limit until `ended()`, then
/// that limit once more for the exit.
class RecordReader {
 public:
  /// `hash` is what `--list` said; a case that begins with another one was rebuilt meanwhile.
  RecordReader(std::string id, std::string hash) : id_(std::move(id)), hash_(std::move(hash)) {}

  /// Any split of the byte stream into calls gives the same result.
  void feed(std::string_view bytes);
  bool begun() const { return state_ == State::running || state_ == State::ended || begun_before_violation_; }
  bool ended() const { return state_ == State::ended; }

  /// What was observed, once the process is over. `timed_out`: the runner ended it for being over a limit.
  Observed finish(const Ending& ending, bool timed_out, std::string_view err);

 private:
  enum class State { starting, running, ended, violated };

  void line(std::string_view text);
  void apply(const nlohmann::json& record);
  void begin(const nlohmann::json& record);
  void end(const nlohmann::json& record);
  void observe(const nlohmann::json& record);
  void violate(std::string_view why, std::string_view raw);
  void decide();

  std::string id_, hash_;
  State state_ = State::starting;
  bool greeted_ = false;
  bool begun_before_violation_ = false;
  bool ended_before_violation_ = false;
  std::string partial_;
  std::string violation_;
  std::string last_label_;  // of a mark or an attempt
  std::string skip_detail_;
  Observed observed_;
};

/// The first `what():` line of a dying process's stderr, else its last line; empty if it said nothing.
std::string crash_text(std::string_view err);

/// The first `limit` bytes made printable, for messages.
std::string excerpt(std::string_view bytes, size_t limit);

}  // namespace cudasem
