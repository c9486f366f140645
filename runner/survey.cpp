#include "survey.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>

#include "layout.h"
#include "timings.h"

namespace cudasem {

namespace fs = std::filesystem;

namespace {

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw std::runtime_error(fmt::format(format, std::forward<Args>(args)...));
}

void check_interrupt() {
  if (SubprocessSet::interrupts()) refuse("interrupted before the first case");
}

Machine probe_or_refuse(SubprocessSet& set, const BuiltFor& built) {
  Machine machine = probe(set, built);
  check_interrupt();
  if (machine.usable_gpus() > 0) return machine;
  if (!machine.answered) refuse("{}. `cudasem doctor` shows what was found", machine.error);
  if (!machine.gpus.empty()) refuse("no GPU passes the probe's check: {}", machine.error);
  if (nvidia_device_present())
    refuse("an NVIDIA device is present but CUDA does not start: {}. `cudasem doctor` shows what was found",
           machine.error);
  return machine;
}

Expectations load_expectations(const fs::path& folder, const Catalog& catalog, Status& status) {
  const bool one = folder.string().find(':') == std::string::npos;  // several: their problems name them
  if (one && !fs::exists(folder))
    refuse("no expectations in {}: name the folder expected/ with --expected", folder.string());
  Expectations expectations = Expectations::load(folder);
  std::vector<Problem> problems = expectations.problems();
  std::vector<CaseInfo> cases;
  for (const auto& known : catalog.cases) cases.push_back(known.info);
  for (auto& problem : expectations.check_entries(cases))  // gaps show in their case's verdict
    if (problem.severity == Severity::error) problems.push_back(std::move(problem));
  for (const auto& problem : problems) status.note(text(problem));
  if (has_errors(problems)) refuse("the expectations in {} have errors: correct them first", folder.string());
  return expectations;
}

Waivers load_waivers(const fs::path& file, const Catalog& catalog, Status& status) {
  std::vector<Problem> problems;
  Waivers waivers = Waivers::load(file, problems);
  std::set<std::string> ids;
  for (const auto& known : catalog.cases)
    for (auto& id : known.info.ids()) ids.insert(std::move(id));
  for (const auto& area : catalog.uncompiled) ids.insert(area.area + ".*");
  const std::string name = file.filename().string();
  for (const auto& waiver : waivers.all())
    if (!ids.contains(waiver.id))
      problems.push_back({Severity::warning, name, waiver.line,
                          fmt::format("there is no {} here: this waiver does nothing", waiver.id)});
  for (const auto& problem : problems) status.note(text(problem));
  if (has_errors(problems)) refuse("the waivers in {} have errors: correct them first", file.string());
  for (const auto& waiver : waivers.expired()) status.note(expired_text(waiver));
  return waivers;
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

void check_requirements(const std::vector<std::string>& requirements, const Survey& survey) {
  for (const auto& requirement : requirements) {
    const auto comparison = requirement.find_first_of("<>=");
    if (comparison == requirement.npos)
      refuse("--require wants a comparison like 'gpus>=1', found '{}'", requirement);
    Conditions conditions;
    conditions.profile = survey.subject.profile;
    conditions.restrict(requirement.substr(0, comparison), requirement.substr(comparison));
    if (conditions.hold(survey.subject)) continue;
    refuse("{} is required; found {} GPUs{}, torch {}, driver {}", requirement, survey.subject.gpus,
           survey.machine.error.empty() ? "" : fmt::format(" ({})", survey.machine.error),
           survey.subject.torch, survey.subject.driver.empty() ? "none" : survey.subject.driver);
  }
}

}  // namespace

Subject Survey::subject_on(const std::vector<int>& gpus) const {
  Subject result = subject;
  for (const auto& gpu : machine.gpus)
    if (!gpus.empty() && gpu.index == gpus.front()) result.cc = gpu.cc;
  return result;
}

Survey look_around(SubprocessSet& set, const RunOptions& options, Status& status) {
  Survey survey;
  survey.built = read_subject(options.cases);
  if (!options.torch.empty()) use_torch(survey.built, options.torch);
  check_torch(survey.built);
  survey.catalog = load_catalog(set, survey.built);
  check_interrupt();
  survey.machine = probe_or_refuse(set, survey.built);
  survey.expectations = load_expectations(options.expected, survey.catalog, status);
  survey.waivers = load_waivers(options.waivers, survey.catalog, status);
  std::vector<Problem> problems;
  survey.recordings = Recordings::load(options.recorded, problems);
  for (const auto& problem : problems) status.note(text(problem));
  survey.subject = subject_of(survey.built, survey.machine, options.profile);
  survey.times = recorded_times(survey.recordings.logs(), survey.subject.torch);
  check_requirements(options.require, survey);
  return survey;
}

Scrubber scrubber_for(const Survey& survey) {
  Scrubber scrub;
  scrub.hide(layout::home(), "");
  scrub.hide(survey.built.folder, "<cases>");
  scrub.hide(survey.built.torch_lib.parent_path(), "<torch>");
  scrub.hide(survey.built.cuda_lib, "<cuda>");
  scrub.hide(survey.built.build_log.parent_path(), "<build>");
  scrub.hide(fs::current_path(), "<here>");
  return scrub;
}

}  // namespace cudasem
