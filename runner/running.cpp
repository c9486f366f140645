#include "running.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "floor.h"
#include "profiles.h"

namespace cudasem {

namespace {

/// The `index`th of the GPUs that this process sees, as CUDA_VISIBLE_DEVICES names it.
std::string visible_name(int index) {
  const char* visible = getenv("CUDA_VISIBLE_DEVICES");
  std::string_view rest = visible ? visible : "";
  if (rest.empty()) return std::to_string(index);
  for (; index > 0 && rest.find(',') != rest.npos; --index) rest.remove_prefix(rest.find(',') + 1);
  return std::string(rest.substr(0, rest.find(',')));
}

}  // namespace

Running::Running(SubprocessSet& set, const RunOptions& options, const Survey& survey,
                 std::optional<Earlier> earlier, Status& status)
    : set_(set),
      options_(options),
      survey_(survey),
      earlier_(std::move(earlier)),
      status_(status),
      watch_(set, survey.built, survey.machine) {
  plan_ =
      make_plan(survey.catalog, options.selection,
                {survey.machine.usable_gpus(), survey.machine.error, caching_turned_off_by()}, survey.times);
  for (const auto& area : survey.catalog.uncompiled)
    if (options.selection.selects_area(area.area)) uncompiled_.push_back(area);
  if (const auto unknown = options.selection.unmatched(survey.catalog); !unknown.empty())
    throw std::runtime_error(fmt::format("no case matches {}: {} cases are known. `cudasem list` shows them",
                                         fmt::join(unknown, " or "), survey.catalog.cases.size()));
  complete_ = options.selection.selects_all(survey.catalog);
  if (plan_.empty() && uncompiled_.empty())
    throw std::runtime_error(fmt::format("no case matches: {} cases are known. `cudasem list` shows them",
                                         survey.catalog.cases.size()));
}

/// The whole plan, and the end of what will have no process.
void Running::write_plan() {
  for (const auto& item : plan_) journal_->plan(item);
  PlanReport planned{static_cast<int>(plan_.size() + uncompiled_.size()), {}};
  for (const auto& item : plan_)
    if (auto known = survey_.times.find(item.id); item.unsupported.empty() && known != survey_.times.end())
      planned.expected_ms.insert(*known);
  status_.planned(planned);
  for (const auto& area : uncompiled_) journal_->uncompiled(area);
  if (const auto banner = unsupported_banner(plan_); !banner.empty()) status_.note(banner);
  for (size_t i = 0; i < plan_.size(); ++i) {
    if (journal_->adopt(plan_[i])) continue;
    if (plan_[i].unsupported.empty()) {
      runnable_.push_back(i);
    } else {
      journal_->end_without_process(plan_[i], Outcome::skip, "unsupported", plan_[i].unsupported, true);
    }
  }
  longest_first(runnable_, plan_, survey_.times);
}

void Running::make_schedule() {
  std::vector<int> gpus;
  for (const auto& gpu : survey_.machine.gpus)
    if (gpu.healthy) gpus.push_back(gpu.index);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const auto limits = Schedule::Limits::from(options_.jobs, static_cast<int>(gpus.size()), cores);
  schedule_.emplace(std::vector<Schedule::Item>{}, gpus, limits);
  rules_ = {.isolate_all = options_.isolate_all, .shuffle = options_.shuffle, .jobs = limits.total};
  results_.emplace(plan_.size(), Results::Rules{.repeat = options_.stress ? Stress::kFresh : options_.repeat,
                                                .retry = options_.retry});
  tries_.resize(plan_.size());
  if (earlier_)
    for (size_t i : runnable_) tries_[i] = earlier_->begun[events::key(plan_[i].id, survey_.subject)];
  if (options_.stress) {
    stress_.emplace(plan_, runnable_);
    for (auto& unit : stress_->fresh_units()) add(std::move(unit));
    return;
  }
  for (int time = 0; time < options_.repeat; ++time) {
    for (auto& unit : make_units(plan_, runnable_, rules_)) {
      unit.purpose = time == 0 ? Purpose::first : Purpose::repeat;
      add(std::move(unit));
    }
    if (rules_.shuffle) ++*rules_.shuffle;
  }
}

void Running::add(Unit unit) {
  const CaseInfo& info = plan_[unit.items.back()].found->info;
  schedule_->add({info.needs_gpus, info.isolation == "exclusive"});
  units_.push_back(std::move(unit));
}

void Running::start(const Schedule::Start& start) {
  const Unit& unit = units_[start.item];
  const PlanItem& item = plan_[unit.items.back()];
  if (unit.purpose == Purpose::load && !load_)
    load_.emplace(set_, static_cast<int>(std::thread::hardware_concurrency()));
  ProcessSpec spec;
  spec.argv = {survey_.built.binary(item.found->area).string(), "--run"};
  spec.env = library_environment(survey_.built);
  spec.records = true;
  if (survey_.machine.gpus.size() > 1 && !start.gpus.empty()) {
    std::string visible;
    for (int gpu : start.gpus) visible += (visible.empty() ? "" : ",") + visible_name(gpu);
    spec.env["CUDA_VISIBLE_DEVICES"] = visible;
  }
  std::vector<RecordReader> readers;
  std::vector<Limits> limits;
  for (size_t index : unit.items) {
    const CaseInfo& info = plan_[index].found->info;
    spec.argv.push_back(plan_[index].id);
    readers.emplace_back(plan_[index].id, info.hash);
    Limits& limit = limits.emplace_back();
    limit.start_up = start_up_limit(survey_.machine);
    limit.body = std::chrono::milliseconds(static_cast<int64_t>(info.time_limit_s * 1000));
    limit.exit = std::max(limit.body, exit_limit(survey_.machine));
  }
  spec.argv.insert(spec.argv.end(), {"--record-fd", std::to_string(kRecordFd)});
  const auto started = Clock::now();
  attempts_.push_back(std::make_unique<Attempt>(unit, start, set_.start(spec), UnitReader(std::move(readers)),
                                                std::move(limits), started));
  begin(*attempts_.back());
}

/// The case that comes next in a process begins, as far as the log is concerned.
void Running::begin(Attempt& attempt) {
  const Unit& unit = attempt.unit();
  const size_t position = attempt.current();
  const size_t index = unit.items[position];
  if (unit.only_last && position + 1 < unit.items.size()) return;
  if (unit.purpose == Purpose::first)
    results_->ran_after(index,
                        {unit.items.begin(), unit.items.begin() + static_cast<std::ptrdiff_t>(position)});
  attempt.set_number(++tries_[index]);
  journal_->begin(plan_[index], {attempt.number(), std::string(name(unit.purpose))}, attempt.process().pid(),
                  attempt.start().gpus);
}

/// What has ended in a process that goes on is written down at once.
void Running::follow(Attempt& attempt) {
  while (const auto observed = attempt.advance()) {
    settle(attempt, attempt.current() - 1, *observed, false);
    begin(attempt);
  }
}

/// `cut_short`: the process died, and nobody knows whether the case was innocent.
void Running::settle(Attempt& attempt, size_t position, const Observed& observed, bool cut_short) {
  const Unit& unit = attempt.unit();
  const size_t index = unit.items[position];
  if (unit.only_last && position + 1 < unit.items.size()) return;
  Journal::End end{.one = {attempt.number(), std::string(name(unit.purpose))},
                   .observed = observed,
                   .dirt = attempt.dirt(position),
                   .ms = attempt.ms(position, Clock::now()),
                   .gpus = attempt.start().gpus};
  const bool last = attempt.over() && position == attempt.current();
  if (last) end.output = {attempt.process().out(), attempt.process().err()};
  const Judgement judgement = journal_->end(plan_[index], end);
  if (!end.gpus.empty() && leaves_gpu_in_doubt(observed)) {
    watch_.ask(fmt::format("{} after {}", name(observed.outcome), plan_[index].id));
    schedule_->hold_gpus(true);
  }
  if (stress_) stress_->add(index, unit.purpose == Purpose::shuffle, observed, end.dirt);
  if (unit.purpose == Purpose::shuffle) return;
  const bool batch = unit.items.size() > 1 && !unit.only_last;
  decide(index, results_->add({index, unit.purpose, batch, cut_short, judgement}), end);
}

void Running::decide(size_t item, const Results::Decision& decision, const Journal::End& end) {
  for (const auto& unit : decision.again) add(unit);
  if (decision.done) journal_->verdict(plan_[item], decision.verdict, end);
}

void Running::finish(Attempt& attempt) {
  follow(attempt);
  const Unit& unit = attempt.unit();
  const auto rest = unit.items.begin() + static_cast<std::ptrdiff_t>(attempt.current()) + 1;
  const Observed observed = attempt.observed();
  schedule_->finished(attempt.start());
  settle(attempt, attempt.current(), observed,
         rest != unit.items.end() && observed.outcome == Outcome::crash);
  if (rest == unit.items.end()) return;
  Unit left = unit;  // what the process did not come to
  left.items.assign(rest, unit.items.end());
  add(std::move(left));
}

void Running::look_at_gpus(Clock::time_point now) {
  for (const auto& finding : watch_.look(now)) {
    journal_->gpu(finding.gpu, finding.well, finding.cause);
    if (finding.well) continue;
    schedule_->quarantine(finding.gpu);
    status_.note(fmt::format("GPU {} is quarantined: {}", finding.gpu, finding.cause));
    write_off_stranded(finding.cause);
  }
  schedule_->hold_gpus(watch_.busy());
}

void Running::write_off_stranded(const std::string& cause) {
  const auto stranded = schedule_->take_stranded();
  if (!stranded.empty())
    status_.note(fmt::format("{} cases are missing: no GPU is left for them", stranded.size()));
  for (size_t index : stranded)
    for (size_t item : units_[index].items) {
      if (results_->done(item)) continue;
      results_->settle(item);
      journal_->end_without_process(plan_[item], Outcome::missing, "device_lost",
                                    fmt::format("the GPU was lost: {}", cause), true);
    }
}

void Running::heed_interrupts() {
  const int seen = SubprocessSet::interrupts();
  if (seen == interrupts_) return;
  interrupts_ = seen;
  schedule_->close();
  if (seen == 1) {
    status_.note("interrupted: what runs is finished, nothing more starts; once more ends it now");
  } else {
    set_.kill_all();
    attempts_.clear();  // planned and without an end: missing
    watch_.drop();
  }
}

/// Once nothing waits: what the exam wants to see after the first part. False if there is nothing more.
bool Running::next_part() {
  load_.reset();
  if (!stress_ || std::exchange(stress_in_batches_, true) || schedule_->closed()) return false;
  for (auto& unit : stress_->batch_units(rules_)) add(std::move(unit));
  return true;
}

void Running::report_stress() {
  for (const auto& finding : stress_->findings()) {
    const std::string& id = plan_[finding.item].id;
    journal_->stress(plan_[finding.item], finding);
    if (!finding.differed.empty()) status_.note(fmt::format("unstable: {}: {}", id, finding.differed));
    status_.note(finding.not_earned.empty() ? fmt::format("earned: {}", id)
                                            : fmt::format("not earned: {}: {}", id, finding.not_earned));
  }
}

void Running::heed_deadline() {
  if (late_ || Clock::now() < deadline_) return;
  late_ = true;
  deadline_ = Clock::time_point::max();
  schedule_->close();
  status_.note("the deadline is reached: what runs is finished, nothing more starts");
}

/// What the deadline left without a verdict; an interrupted run leaves it to `--resume`.
void Running::write_off_late() {
  if (!late_ || interrupts_) return;
  int missing = 0;
  for (size_t item : runnable_) {
    if (results_->done(item)) continue;
    journal_->end_without_process(plan_[item], Outcome::missing, "deadline",
                                  "the run had reached its --deadline", true);
    ++missing;
  }
  if (missing) status_.note(fmt::format("{} cases are missing: the deadline came before them", missing));
}

/// One turn of the loop; false once there is nothing left to wait for.
bool Running::turn() {
  heed_interrupts();
  heed_deadline();
  while (auto next = schedule_->next()) start(*next);
  if (attempts_.empty() && !watch_.busy()) return next_part();
  auto until = std::min({deadline_, Clock::now() + std::chrono::hours(1), watch_.deadline()});
  for (const auto& attempt : attempts_) until = std::min(until, attempt->deadline());
  set_.wait(until);
  const auto now = Clock::now();
  std::vector<std::unique_ptr<Attempt>> over;
  for (auto& attempt : attempts_) {
    attempt->look(now);
    if (!attempt->over()) follow(*attempt);
    if (attempt->over()) over.push_back(std::move(attempt));
  }
  std::erase(attempts_, nullptr);
  for (const auto& attempt : over) finish(*attempt);
  look_at_gpus(now);
  return true;
}

int Running::exit_status() {
  bool valid = true;
  auto invalid = [&](const std::string& why) {
    valid = false;
    problems_.push_back(why);
    status_.note("not a valid run: " + why);
  };
  if (interrupts_) invalid("it was interrupted");
  if (!watch_.quarantined().empty()) invalid("a GPU was lost");
  const bool unsupported = runnable_.empty() && journal_->executed().empty() && uncompiled_.empty();
  if (valid && unsupported && options_.ctest) return 77;
  if (valid && journal_->executed().empty() && !late_) invalid("nothing ran");
  if (complete_ && options_.selection.shards == 1 && !late_)
    if (auto floor = find_floor(survey_.recordings.logs(), survey_.subject))
      if (auto why = floor->missed_by(journal_->executed())) invalid(*why);
  if (!valid) return 2;
  return are_fine(journal_->counts()) ? 0 : 1;
}

int Running::go() {
  if (options_.deadline) deadline_ = Clock::now() + *options_.deadline;
  journal_.emplace(survey_, options_, complete_, earlier_ ? &*earlier_ : nullptr, status_);
  write_plan();
  make_schedule();
  while (turn()) {
  }
  write_off_late();
  if (stress_) report_stress();
  const int exit = exit_status();
  journal_->finish(exit, problems_);
  return exit;
}

}  // namespace cudasem
