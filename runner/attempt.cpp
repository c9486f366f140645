#include "attempt.h"

#include <algorithm>
#include <array>

namespace cudasem {

namespace {

/// CUDA errors after which every call in the process fails the same way, or that blame the hardware.
constexpr std::array kSticky = {46,  214, 220, 226, 700, 702, 709, 710, 714,
                                715, 716, 717, 718, 719, 720, 721, 999};

}  // namespace

Attempt::Attempt(Schedule::Start start, std::shared_ptr<Subprocess> process, RecordReader reader,
                 Limits limits, Clock::time_point started)
    : start_(std::move(start)),
      process_(std::move(process)),
      reader_(std::move(reader)),
      limits_(limits),
      started_(started),
      deadline_(started_ + limits.start_up) {}

void Attempt::look(Clock::time_point now) {
  reader_.feed(process_->take_records());
  if (over() || timed_out_) return;
  if (phase_ == Phase::start_up && reader_.begun()) {
    phase_ = Phase::body;
    deadline_ = now + limits_.body;
  }
  if (phase_ == Phase::body && reader_.ended()) {
    phase_ = Phase::exit;
    deadline_ = now + limits_.exit;
  }
  if (now < deadline_) return;
  timed_out_ = true;
  deadline_ = Clock::time_point::max();
  process_->stop();
}

double Attempt::ms(Clock::time_point now) const {
  return std::chrono::duration<double, std::milli>(now - started_).count();
}

bool leaves_gpu_in_doubt(const Observed& observed) {
  if (observed.outcome == Outcome::crash || observed.outcome == Outcome::hang) return true;
  return std::any_of(observed.effects.begin(), observed.effects.end(), [](const Effect& effect) {
    return effect.code && std::find(kSticky.begin(), kSticky.end(), *effect.code) != kSticky.end();
  });
}

}  // namespace cudasem
