#include "attempt.h"

#include <algorithm>
#include <array>

namespace cudasem {

namespace {

/// CUDA errors after which every call in the process fails the same way, or that blame the hardware.
constexpr std::array kSticky = {46,  214, 220, 226, 700, 702, 709, 710, 714,
                                715, 716, 717, 718, 719, 720, 721, 999};

}  // namespace

Attempt::Attempt(Unit unit, Schedule::Start start, std::shared_ptr<Subprocess> process, UnitReader reader,
                 std::vector<Limits> limits, Clock::time_point started)
    : unit_(std::move(unit)),
      start_(std::move(start)),
      process_(std::move(process)),
      reader_(std::move(reader)),
      limits_(std::move(limits)),
      started_(started),
      deadline_(started_ + limits_.at(0).start_up) {}

void Attempt::look(Clock::time_point now) {
  reader_.feed(process_->take_records());
  const bool moved = reader_.begun() != begun_ || reader_.ended() != ended_;
  begun_ = reader_.begun();
  ended_ = reader_.ended();
  begun_at_.resize(begun_, now);
  ended_at_.resize(ended_, now);
  if (over() || timed_out_) return;
  if (moved) deadline_ = now + (begun_ > ended_ ? limits_[begun_ - 1].body : limits_[ended_ - 1].exit);
  if (now < deadline_) return;
  timed_out_ = true;
  deadline_ = Clock::time_point::max();
  process_->stop();
}

std::optional<Observed> Attempt::advance() {
  if (current_ + 1 >= reader_.begun()) return {};
  return reader_.observed_before_next(current_++);
}

double Attempt::ms(size_t position, Clock::time_point now) const {
  const bool batch = limits_.size() > 1;
  const auto from = batch && position < begun_at_.size() ? begun_at_[position] : started_;
  const auto to = batch && position < ended_at_.size() ? ended_at_[position] : now;
  return std::chrono::duration<double, std::milli>(to - from).count();
}

bool leaves_gpu_in_doubt(const Observed& observed) {
  if (observed.outcome == Outcome::crash || observed.outcome == Outcome::hang) return true;
  return std::any_of(observed.effects.begin(), observed.effects.end(), [](const Effect& effect) {
    return effect.code && std::find(kSticky.begin(), kSticky.end(), *effect.code) != kSticky.end();
  });
}

}  // namespace cudasem
