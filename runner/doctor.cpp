// The command `doctor`.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <iostream>

#include "front_door.h"
#include "log_reader.h"
#include "machine.h"
#include "show.h"
#include "surroundings.h"

namespace cudasem {

namespace fs = std::filesystem;

namespace {

/// Lines of findings: what is there, what is not and what to do, and whether a run needs it.
class Findings {
 public:
  explicit Findings(std::ostream& out) : out_(out) {}
  void good(std::string_view what, std::string_view found) {
    fmt::print(out_, "ok       {:17} {}\n", what, found);
  }
  void absent(std::string_view what, std::string_view why) {
    fmt::print(out_, "absent   {:17} {}\n", what, why);
  }
  void broken(std::string_view what, std::string_view why) {
    fmt::print(out_, "broken   {:17} {}\n", what, why);
    can_run_ = false;
  }
  void add(const Finding& finding) {
    if (finding.level == Finding::good) good(finding.what, finding.text);
    if (finding.level == Finding::absent) absent(finding.what, finding.text);
    if (finding.level == Finding::broken) broken(finding.what, finding.text);
  }
  int exit() const { return can_run_ ? 0 : 2; }

 private:
  std::ostream& out_;
  bool can_run_ = true;
};

void look_at_gpus(SubprocessSet& set, const BuiltFor& built, Findings& findings) {
  const Machine machine = probe(set, built);
  if (!machine.driver.empty())
    findings.good("driver", fmt::format("{} (CUDA up to {}), runtime {}", machine.driver, machine.driver_api,
                                        machine.cuda_runtime));
  for (const auto& gpu : machine.gpus) {
    const auto words =
        fmt::format("{}: {}, compute capability {}, {} MiB", gpu.index, gpu.name, gpu.cc, gpu.memory_MiB);
    gpu.healthy ? findings.good("GPU", words) : findings.broken("GPU", words + ": fails the probe's check");
  }
  if (!machine.gpus.empty()) return;
  if (!machine.answered)
    findings.broken("GPU", machine.error);
  else if (nvidia_device_present())
    findings.broken(
        "GPU", fmt::format("an NVIDIA device is present but CUDA does not start: {}. Does `nvidia-smi` work, "
                           "and is its driver new enough for CUDA {}?",
                           machine.error, built.cuda_build));
  else
    findings.absent("GPU", fmt::format("{}. Host-only cases run, the rest is skipped", machine.error));
}

void look_at_binaries(SubprocessSet& set, const DoctorOptions& options, Findings& findings) {
  BuiltFor built;
  try {
    built = read_subject(options.cases);
    if (!options.torch.empty()) use_torch(built, options.torch);
    findings.good("case binaries",
                  fmt::format("{} of {} areas in {}, for torch {}", built.areas_present().size(),
                              built.areas.size(), built.folder.string(), built.torch));
  } catch (const std::exception& error) {
    return findings.broken("case binaries", error.what());
  }
  try {
    check_torch(built);
    findings.good("libtorch", fmt::format("{} in {}", torch_in_use(built), built.torch_lib.string()));
  } catch (const std::exception& error) {
    return findings.broken("libtorch", error.what());
  }
  try {
    look_at_gpus(set, built, findings);
    const Catalog catalog = load_catalog(set, built);
    findings.good("cases", fmt::format("{}", catalog.cases.size()));
    for (const auto& area : catalog.uncompiled)
      findings.absent("area", fmt::format("{} did not compile: {}", area.area, area.text));
  } catch (const std::exception& error) {
    findings.broken("cases", error.what());
  }
}

}  // namespace

int doctor_command(SubprocessSet& set, const DoctorOptions& options, std::ostream& out) {
  Findings findings(out);
  look_at_binaries(set, options, findings);

  const auto expectations = Expectations::load(options.expected);
  if (has_errors(expectations.problems()))
    findings.broken("expectations",
                    fmt::format("{} has errors: `cudasem lint` lists them", options.expected.string()));
  else
    findings.good("expectations",
                  fmt::format("{} entries in {}", expectations.entries().size(), options.expected.string()));

  for (const auto& finding : surroundings(set, "out")) findings.add(finding);

  const auto python = find_python(set);
  if (python.problem.empty())
    findings.good("Python", python.program + ", for report, diff, matrix and pools");
  else
    findings.absent("Python", python.problem);

  const auto logs = find_logs(options.recorded);
  if (logs.empty())
    findings.absent("recordings", fmt::format("no log in {}: runs have no floor, expectations no evidence",
                                              options.recorded.string()));
  else
    findings.good("recordings", fmt::format("{} logs in {}", logs.size(), options.recorded.string()));
  return findings.exit();
}

}  // namespace cudasem
