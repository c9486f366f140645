#include "running.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

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

Running::Running(SubprocessSet& set, const RunOptions& options, const Survey& survey, Status& status)
    : set_(set),
      options_(options),
      survey_(survey),
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
  size_t known = 0;
  for (const auto& one : survey.catalog.cases) known += one.info.ids().size();
  complete_ = plan_.size() == known && uncompiled_.size() == survey.catalog.uncompiled.size();
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
    if (!plan_[i].unsupported.empty()) {
      journal_->end_without_process(plan_[i], Outcome::skip, "unsupported", plan_[i].unsupported, true);
      continue;
    }
    runnable_.push_back(i);
  }
  longest_first(runnable_, plan_, survey_.times);
  std::vector<Schedule::Item> items;
  for (const size_t i : runnable_) {
    const CaseInfo& info = plan_[i].found->info;
    items.push_back({info.needs_gpus, info.isolation == "exclusive"});
  }
  std::vector<int> gpus;
  for (const auto& gpu : survey_.machine.gpus)
    if (gpu.healthy) gpus.push_back(gpu.index);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  schedule_.emplace(items, gpus, Schedule::Limits::from(options_.jobs, static_cast<int>(gpus.size()), cores));
}

void Running::start(const Schedule::Start& start) {
  const PlanItem& item = plan_[runnable_[start.item]];
  const CaseInfo& info = item.found->info;
  ProcessSpec spec;
  spec.argv = {survey_.built.binary(item.found->area).string(), "--run", item.id, "--record-fd",
               std::to_string(kRecordFd)};
  spec.env = library_environment(survey_.built);
  spec.records = true;
  if (survey_.machine.gpus.size() > 1 && !start.gpus.empty()) {
    std::string visible;
    for (int gpu : start.gpus) visible += (visible.empty() ? "" : ",") + visible_name(gpu);
    spec.env["CUDA_VISIBLE_DEVICES"] = visible;
  }
  Limits limits;
  limits.start_up = start_up_limit(survey_.machine);
  limits.body = std::chrono::milliseconds(static_cast<int64_t>(info.time_limit_s * 1000));
  limits.exit = std::max(limits.body, exit_limit(survey_.machine));
  const auto started = Clock::now();
  attempts_.push_back(
      std::make_unique<Attempt>(start, set_.start(spec), RecordReader(item.id, info.hash), limits, started));
  journal_->begin(item, attempts_.back()->process().pid(), start.gpus);
}

void Running::finish(Attempt& attempt) {
  const PlanItem& item = plan_[runnable_[attempt.start().item]];
  const Observed observed = attempt.observed();
  schedule_->finished(attempt.start());
  journal_->end(item, observed, {attempt.process().out(), attempt.process().err()}, attempt.ms(Clock::now()),
                attempt.start().gpus);
  if (!attempt.start().gpus.empty() && leaves_gpu_in_doubt(observed)) {
    watch_.ask(fmt::format("{} after {}", name(observed.outcome), item.id));
    schedule_->hold_gpus(true);
  }
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
    journal_->end_without_process(plan_[runnable_[index]], Outcome::missing, "device_lost",
                                  fmt::format("the GPU was lost: {}", cause), true);
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

/// One turn of the loop; false once there is nothing left to wait for.
bool Running::turn() {
  heed_interrupts();
  while (auto next = schedule_->next()) start(*next);
  if (attempts_.empty() && !watch_.busy()) return false;
  auto until = std::min(Clock::now() + std::chrono::hours(1), watch_.deadline());
  for (const auto& attempt : attempts_) until = std::min(until, attempt->deadline());
  set_.wait(until);
  const auto now = Clock::now();
  std::vector<std::unique_ptr<Attempt>> over;
  for (auto& attempt : attempts_) {
    attempt->look(now);
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
  const bool unsupported = runnable_.empty() && uncompiled_.empty();
  if (valid && unsupported && options_.ctest) return 77;
  if (valid && journal_->executed().empty()) invalid("nothing ran");
  if (complete_)
    if (auto floor = find_floor(survey_.recordings.logs(), survey_.subject))
      if (auto why = floor->missed_by(journal_->executed())) invalid(*why);
  if (!valid) return 2;
  const auto& counts = journal_->counts();
  return std::all_of(counts.begin(), counts.end(),
                     [](const auto& count) {
                       return count.first == name(Verdict::as_expected) ||
                              count.first == name(Verdict::skipped);
                     })
             ? 0
             : 1;
}

int Running::go() {
  journal_.emplace(survey_, options_, complete_, status_);
  write_plan();
  while (turn()) {
  }
  const int exit = exit_status();
  journal_->finish(exit, problems_);
  return exit;
}

}  // namespace cudasem
