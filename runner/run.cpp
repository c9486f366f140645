#include "run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "attempt.h"
#include "event_log.h"
#include "events.h"
#include "expectations.h"
#include "floor.h"
#include "layout.h"
#include "recordings.h"

namespace cudasem {

namespace fs = std::filesystem;

namespace {

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw std::runtime_error(fmt::format(format, std::forward<Args>(args)...));
}

/// What is known before the first case starts.
struct Known {
  BuiltFor built;
  Machine machine;
  Catalog catalog;
  Expectations expectations;
  Recordings recordings;
  Subject subject;
};

int usable_gpus(const Machine& machine) {
  return static_cast<int>(
      std::count_if(machine.gpus.begin(), machine.gpus.end(), [](const Gpu& g) { return g.healthy; }));
}

void check_interrupt() {
  if (SubprocessSet::interrupts()) refuse("interrupted before the first case");
}

Machine probe_or_refuse(SubprocessSet& set, const BuiltFor& built) {
  Machine machine = probe(set, built);
  check_interrupt();
  if (usable_gpus(machine) > 0) return machine;
  if (!machine.gpus.empty()) refuse("no GPU passes the probe's check: {}", machine.error);
  if (nvidia_device_present())
    refuse("an NVIDIA device is present but CUDA does not start: {}. `cudasem doctor` shows what was found",
           machine.error);
  return machine;
}

Expectations load_expectations(const fs::path& folder, Status& status) {
  if (!fs::exists(folder))
    refuse("no expectations in {}: name the folder expected/ with --expected", folder.string());
  Expectations expectations = Expectations::load(folder);
  for (const auto& problem : expectations.problems()) status.note(text(problem));
  if (has_errors(expectations.problems()))
    refuse("the expectations in {} have errors: correct them first", folder.string());
  return expectations;
}

Subject subject_of(const BuiltFor& built, const Machine& machine, const std::string& profile) {
  Subject subject;
  subject.torch = torch_in_use(built);
  subject.cuda = machine.cuda_runtime;
  subject.driver = machine.driver;
  subject.cc = machine.gpus.empty() ? "" : machine.gpus.front().cc;
  subject.gpus = static_cast<int>(machine.gpus.size());
  subject.profile = profile;
  return subject;
}

void check_requirements(const std::vector<std::string>& requirements, const Known& known) {
  for (const auto& requirement : requirements) {
    const auto comparison = requirement.find_first_of("<>=");
    if (comparison == requirement.npos)
      refuse("--require wants a comparison like 'gpus>=1', found '{}'", requirement);
    Conditions conditions;
    conditions.profile = known.subject.profile;
    conditions.restrict(requirement.substr(0, comparison), requirement.substr(comparison));
    if (conditions.hold(known.subject)) continue;
    refuse("{} is required; found {} GPUs{}, torch {}, driver {}", requirement, known.subject.gpus,
           known.machine.error.empty() ? "" : fmt::format(" ({})", known.machine.error), known.subject.torch,
           known.subject.driver.empty() ? "none" : known.subject.driver);
  }
}

Known look_around(SubprocessSet& set, const RunOptions& options, Status& status) {
  Known known;
  known.built = read_subject(options.cases);
  if (!options.torch.empty()) use_torch(known.built, options.torch);
  check_torch(known.built);
  known.machine = probe_or_refuse(set, known.built);
  known.catalog = load_catalog(set, known.built);
  check_interrupt();
  known.expectations = load_expectations(options.expected, status);
  std::vector<Problem> problems;
  known.recordings = Recordings::load(options.recorded, problems);
  for (const auto& problem : problems) status.note(text(problem));
  known.subject = subject_of(known.built, known.machine, options.profile);
  check_requirements(options.require, known);
  return known;
}

Scrubber scrubber_for(const Known& known) {
  Scrubber scrub;
  scrub.hide(layout::home(), "");
  scrub.hide(known.built.folder, "<cases>");
  scrub.hide(known.built.torch_lib.parent_path(), "<torch>");
  scrub.hide(known.built.cuda_lib, "<cuda>");
  scrub.hide(known.built.build_log.parent_path(), "<build>");
  scrub.hide(fs::current_path(), "<here>");
  return scrub;
}

std::string log_stem(const std::string& utc, const std::string& torch) {
  std::string stem = fmt::format("{}-torch-{}", utc, torch);
  std::erase(stem, ':');
  return stem;
}

/// At the place asked for; in a folder, under the default name, with a number if that is taken.
std::unique_ptr<EventLog> open_log(const fs::path& out, const std::string& stem) {
  const bool folder = !out.has_filename() || fs::is_directory(out);
  if (!out.empty() && !folder) return std::make_unique<EventLog>(out);
  const fs::path parent = out.empty() ? fs::path("out") : out;
  for (int number = 1;; ++number) {
    const fs::path path = parent / (stem + (number == 1 ? "" : fmt::format("-{}", number)) + ".ndjson");
    if (fs::exists(path)) continue;
    try {
      return std::make_unique<EventLog>(path);
    } catch (const std::runtime_error&) {
      if (!fs::exists(path)) throw;  // else another run took the name meanwhile
    }
  }
}

/// The `index`th of the GPUs that this process sees, as CUDA_VISIBLE_DEVICES names it.
std::string visible_name(int index) {
  const char* visible = getenv("CUDA_VISIBLE_DEVICES");
  std::string_view rest = visible ? visible : "";
  if (rest.empty()) return std::to_string(index);
  for (; index > 0 && rest.find(',') != rest.npos; --index) rest.remove_prefix(rest.find(',') + 1);
  return std::string(rest.substr(0, rest.find(',')));
}

/// Runs what is planned and writes it down. One is made for each run.
class Running {
 public:
  Running(SubprocessSet& set, const RunOptions& options, const Known& known, Status& status);
  int go();

 private:
  struct Check {
    std::shared_ptr<Subprocess> process;
    Clock::time_point deadline;
    std::string cause;
    bool timed_out = false;
  };

  void write(const nlohmann::json& event) { log_->write(scrub_(event)); }
  double t_ms() const { return std::chrono::duration<double, std::milli>(Clock::now() - began_).count(); }
  void open_log_with_header();
  void write_plan();
  void without_process(const std::string& key, const PlanItem& item, Outcome outcome,
                       const std::string& detail, const std::string& why);
  void conclude(const std::string& key, const PlanItem& item, const Observed& observed,
                const events::Output& output, double ms, const Subject& subject);
  bool turn();
  void heed_interrupts();
  void start(const Schedule::Start& start);
  void finish(Attempt& attempt);
  void begin_check(const std::string& cause);
  void look_at_check(Clock::time_point now);
  void quarantine(const Machine& seen, const std::string& cause);
  int verdict_on_run();
  Subject subject_on(const std::vector<int>& gpus) const;
  std::vector<std::string> reproduce(const PlanItem& item) const;
  std::string key(const std::string& id) const { return events::key(id, known_.subject); }

  SubprocessSet& set_;
  const RunOptions& options_;
  const Known& known_;
  Status& status_;
  Clock::time_point began_ = Clock::now();
  std::vector<PlanItem> plan_;
  std::vector<size_t> runnable_;  // the schedule's items, as indices into plan_
  std::unique_ptr<EventLog> log_;
  Scrubber scrub_;
  std::optional<Schedule> schedule_;
  std::vector<std::unique_ptr<Attempt>> attempts_;
  std::optional<Check> check_;
  std::string next_check_;  // cause of a check that is due after the one that goes on
  std::set<int> quarantined_;
  std::map<std::string, int> counts_;
  std::set<std::string> executed_;
  bool device_lost_ = false;
  int interrupts_ = 0;
};

Running::Running(SubprocessSet& set, const RunOptions& options, const Known& known, Status& status)
    : set_(set), options_(options), known_(known), status_(status), scrub_(scrubber_for(known)) {
  const char* no_caching = getenv("PYTORCH_NO_CUDA_MEMORY_CACHING");
  plan_ = make_plan(known.catalog, options.selection,
                    {usable_gpus(known.machine), known.machine.error, !(no_caching && *no_caching)});
}

void Running::open_log_with_header() {
  events::Run run;
  run.utc = events::utc(std::time(nullptr));
  run.id = fmt::format("{}-{:08x}", log_stem(run.utc, known_.subject.torch), std::random_device{}());
  run.tool = layout::version();
  run.expected_hash = known_.expectations.hash();
  run.profile = options_.profile;
  run.argv = scrub_.argv(options_.argv);
  run.shard = options_.selection.shard;
  run.shards = options_.selection.shards;
  log_ = open_log(options_.out, log_stem(run.utc, known_.subject.torch));
  write(events::run(run));
  write(events::machine(known_.machine));
  write(events::subject(known_.built, known_.machine));
}

void Running::write_plan() {
  for (const auto& item : plan_) {
    const CaseInfo& info = item.found->info;
    const Expectation* entry = known_.expectations.find(item.id, known_.subject);
    write(events::plan(
        key(item.id), item, options_.profile,
        entry ? to_json(*entry, known_.recordings.evidence(*entry, info.hash, known_.subject.torch))
              : default_expectation(info.kind, item.way)));
  }
}

/// Judges, writes `end` and `verdict`, counts and shows.
void Running::conclude(const std::string& key, const PlanItem& item, const Observed& observed,
                       const events::Output& output, double ms, const Subject& subject) {
  const Judgement judgement =
      judge(known_.expectations.find(item.id, subject), item.found->info.kind, item.way, observed, subject);
  write(events::end(key, observed, output, ms, t_ms()));
  write(events::verdict(key, judgement));
  ++counts_[std::string(name(judgement.verdict))];
  if (observed.outcome != Outcome::skip && observed.outcome != Outcome::missing) executed_.insert(item.id);
  const bool quiet = observed.detail == "unsupported" && ms == 0;
  status_.case_finished({item.id, judgement, ms, reproduce(item), quiet || observed.detail == "device_lost"});
}

void Running::without_process(const std::string& key, const PlanItem& item, Outcome outcome,
                              const std::string& detail, const std::string& why) {
  Observed observed;
  observed.outcome = outcome;
  observed.detail = detail;
  observed.text = why;
  conclude(key, item, observed, {}, 0, known_.subject);
}

std::vector<std::string> Running::reproduce(const PlanItem& item) const {
  std::string ours = fmt::format("cudasem run '{}'", item.id);
  if (options_.cases != layout::default_cases()) ours += fmt::format(" --cases {}", options_.cases.string());
  if (!options_.torch.empty()) ours += fmt::format(" --torch {}", options_.torch.string());
  if (item.found->area.empty()) return {};
  std::string direct;
  for (const auto& [name, value] : library_environment(known_.built))
    direct += fmt::format("{}={} ", name, value);
  direct += fmt::format("{} --gtest_filter='{}'", known_.built.binary(item.found->area).string(), item.id);
  return {ours, direct};
}

Subject Running::subject_on(const std::vector<int>& gpus) const {
  Subject subject = known_.subject;
  for (const auto& gpu : known_.machine.gpus)
    if (!gpus.empty() && gpu.index == gpus.front()) subject.cc = gpu.cc;
  return subject;
}

void Running::start(const Schedule::Start& start) {
  const PlanItem& item = plan_[runnable_[start.item]];
  const CaseInfo& info = item.found->info;
  ProcessSpec spec;
  spec.argv = {known_.built.binary(item.found->area).string(), "--run", item.id, "--record-fd",
               std::to_string(kRecordFd)};
  spec.env = library_environment(known_.built);
  spec.records = true;
  if (known_.machine.gpus.size() > 1 && !start.gpus.empty()) {
    std::string visible;
    for (int gpu : start.gpus) visible += (visible.empty() ? "" : ",") + visible_name(gpu);
    spec.env["CUDA_VISIBLE_DEVICES"] = visible;
  }
  Limits limits;
  limits.start_up = start_up_limit(known_.machine);
  limits.body = std::chrono::milliseconds(static_cast<int64_t>(info.time_limit_s * 1000));
  limits.exit =
      std::max(limits.body, std::chrono::milliseconds(static_cast<int64_t>(10 * known_.machine.probe_ms)));
  attempts_.push_back(
      std::make_unique<Attempt>(start, set_.start(spec), RecordReader(item.id, info.hash), limits));
  write(events::begin(key(item.id), attempts_.back()->process().pid(), start.gpus, t_ms()));
  status_.case_started(item.id);
}

void Running::finish(Attempt& attempt) {
  const PlanItem& item = plan_[runnable_[attempt.start().item]];
  const Observed observed = attempt.observed();
  schedule_->finished(attempt.start());
  conclude(key(item.id), item, observed, {attempt.process().out(), attempt.process().err()},
           attempt.ms(Clock::now()), subject_on(attempt.start().gpus));
  if (!attempt.start().gpus.empty() && leaves_gpu_in_doubt(observed))
    begin_check(fmt::format("{} after {}", name(observed.outcome), item.id));
}

void Running::begin_check(const std::string& cause) {
  schedule_->hold_gpus(true);
  if (check_) {
    next_check_ = cause;
    return;
  }
  check_ = Check{set_.start(probe_spec(known_.built)), Clock::now() + kProbeLimit, cause};
}

void Running::look_at_check(Clock::time_point now) {
  if (!check_) return;
  if (!check_->process->ending()) {
    if (now < check_->deadline) return;
    check_->timed_out = true;
    check_->deadline = Clock::time_point::max();
    check_->process->stop();
    return;
  }
  const Check done = *std::exchange(check_, {});
  quarantine(read_probe({*done.process->ending(), done.process->out(), done.process->err(), done.timed_out}),
             done.cause);
  schedule_->hold_gpus(false);
  if (!next_check_.empty()) begin_check(std::exchange(next_check_, {}));
}

void Running::quarantine(const Machine& seen, const std::string& cause) {
  for (const auto& gpu : known_.machine.gpus) {
    if (quarantined_.count(gpu.index)) continue;
    const bool well = std::any_of(seen.gpus.begin(), seen.gpus.end(),
                                  [&](const Gpu& g) { return g.index == gpu.index && g.healthy; });
    const std::string why = well || seen.error.empty() ? cause : fmt::format("{}: {}", cause, seen.error);
    write(events::gpu(gpu.index, well, why));
    if (well) continue;
    device_lost_ = true;
    quarantined_.insert(gpu.index);
    schedule_->quarantine(gpu.index);
    status_.note(fmt::format("GPU {} is quarantined: {}", gpu.index, why));
  }
  const auto stranded = schedule_->take_stranded();
  if (!stranded.empty())
    status_.note(fmt::format("{} cases are missing: no GPU is left for them", stranded.size()));
  for (size_t index : stranded) {
    const PlanItem& item = plan_[runnable_[index]];
    without_process(key(item.id), item, Outcome::missing, "device_lost",
                    fmt::format("the GPU was lost: {}", cause));
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
    check_.reset();
  }
}

/// One turn of the loop; false once there is nothing left to wait for.
bool Running::turn() {
  heed_interrupts();
  while (auto next = schedule_->next()) start(*next);
  if (attempts_.empty() && !check_) return false;
  auto until = Clock::now() + std::chrono::seconds(3600);
  for (const auto& attempt : attempts_) until = std::min(until, attempt->deadline());
  if (check_) until = std::min(until, check_->deadline);
  set_.wait(until);
  const auto now = Clock::now();
  std::vector<std::unique_ptr<Attempt>> over;
  for (auto& attempt : attempts_) {
    attempt->look(now);
    if (attempt->over()) over.push_back(std::move(attempt));
  }
  std::erase(attempts_, nullptr);
  for (const auto& attempt : over) finish(*attempt);
  look_at_check(now);
  return true;
}

int Running::verdict_on_run() {
  bool valid = true;
  auto invalid = [&](const std::string& why) {
    valid = false;
    status_.note("not a valid run: " + why);
  };
  const bool unsupported =
      std::all_of(plan_.begin(), plan_.end(), [](const PlanItem& i) { return !i.unsupported.empty(); });
  if (interrupts_) invalid("it was interrupted");
  if (device_lost_) invalid("a GPU was lost");
  if (options_.ctest && unsupported && !plan_.empty()) return 77;
  if (executed_.empty()) invalid("nothing ran");
  if (options_.selection.everything())
    if (auto floor = find_floor(known_.recordings.logs(), known_.subject))
      if (auto why = floor->missed_by(executed_)) invalid(*why);
  if (!valid) return 2;
  for (const auto& [verdict, count] : counts_)
    if (count && verdict != name(Verdict::as_expected) && verdict != name(Verdict::skipped)) return 1;
  return 0;
}

int Running::go() {
  std::vector<Uncompiled> uncompiled;
  for (const auto& area : known_.catalog.uncompiled)
    if (options_.selection.selects_area(area.area)) uncompiled.push_back(area);
  if (plan_.empty() && uncompiled.empty())
    refuse("no case matches: {} cases are known. `cudasem list` shows them", known_.catalog.cases.size());
  open_log_with_header();
  write_plan();
  status_.planned(static_cast<int>(plan_.size() + uncompiled.size()));
  // Areas that did not compile, then what cannot run here, under one banner instead of a line each.
  for (const auto& area : uncompiled) {
    CatalogCase absent;
    absent.info.name = area.area + ".*";
    const std::string key_of = key(absent.info.name);
    write(events::plan_uncompiled(key_of, area.area, options_.profile));
    PlanItem item;
    item.found = &absent;
    item.id = absent.info.name;
    without_process(key_of, item, Outcome::missing, "uncompiled", area.text);
  }
  if (const auto banner = unsupported_banner(plan_); !banner.empty()) status_.note(banner);
  std::vector<Schedule::Item> items;
  for (size_t i = 0; i < plan_.size(); ++i) {
    if (!plan_[i].unsupported.empty()) {
      without_process(key(plan_[i].id), plan_[i], Outcome::skip, "unsupported", plan_[i].unsupported);
      continue;
    }
    runnable_.push_back(i);
    items.push_back({plan_[i].found->info.needs_gpus, plan_[i].found->info.isolation == "exclusive"});
  }
  std::vector<int> gpus;
  for (const auto& gpu : known_.machine.gpus) {
    if (gpu.healthy) gpus.push_back(gpu.index);
  }
  schedule_.emplace(items, gpus,
                    Schedule::Limits::from(options_.jobs, static_cast<int>(gpus.size()),
                                           static_cast<int>(std::thread::hardware_concurrency())));
  while (turn()) {
  }
  const int exit = verdict_on_run();
  write(events::finish(counts_, exit, t_ms()));
  status_.finished(counts_, t_ms() / 1000, log_->path().string());
  return exit;
}

}  // namespace

int run_command(const RunOptions& options, Status& status) {
  const rlimit no_core = {0, 0};  // a case that crashes on purpose must not spend seconds on writing a core
  setrlimit(RLIMIT_CORE, &no_core);
  SubprocessSet set;
  const Known known = look_around(set, options, status);
  Running running(set, options, known, status);
  return running.go();
}

}  // namespace cudasem
