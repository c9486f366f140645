#include "machine.h"

#include <fmt/format.h>
#include <string.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "json_reading.h"
#include "record.h"

namespace cudasem {

namespace fs = std::filesystem;

namespace {

Machine unanswered(std::string why) {
  Machine machine;
  machine.error = std::move(why);
  machine.answered = false;
  return machine;
}

Machine machine_from_json(const nlohmann::json& json) {
  Machine machine;
  machine.torch = json.at("torch");
  machine.cuda_runtime = json.at("cuda_runtime");
  machine.driver_api = json.at("driver_api");
  machine.driver = json.at("driver");
  machine.error = json.at("error");
  const bool no_driver = machine.driver.empty() && machine.driver_api == "0.0";
  if (no_driver && !machine.error.empty()) machine.error = "no NVIDIA driver here";  // CUDA calls it too old
  for (const auto& gpu : json.at("gpus"))
    machine.gpus.push_back({whole_number_at(gpu, "index"), gpu.at("name"), gpu.at("cc"),
                            whole_number_at(gpu, "memory_MiB"), gpu.at("ecc"), gpu.at("mig"),
                            gpu.at("healthy")});
  return machine;
}

}  // namespace

int Machine::usable_gpus() const {
  return static_cast<int>(
      std::count_if(gpus.begin(), gpus.end(), [](const Gpu& gpu) { return gpu.healthy; }));
}

ProcessSpec probe_spec(const BuiltFor& built) {
  const auto present = built.areas_present();
  if (present.empty())
    throw std::runtime_error(fmt::format("no case binary in {}: none of its {} areas compiled. See {}",
                                         built.folder.string(), built.areas.size(),
                                         built.build_log.string()));
  return {.argv = {built.binary(present.front()).string(), "--probe"},
          .env = library_environment(built),
          .keep = 1 << 20};
}

Machine read_probe(const Finished& finished) {
  if (finished.timed_out)
    return unanswered(fmt::format("the probe did not answer within {} s", kProbeLimit.count()));
  if (!finished.ending.signal.empty())
    return unanswered(
        fmt::format("the probe died of {}: {}", finished.ending.signal, crash_text(finished.err)));
  if (finished.ending.exit != 0)
    return unanswered(
        fmt::format("the probe exited with {}: {}", *finished.ending.exit, crash_text(finished.err)));
  try {
    return machine_from_json(parse_json(finished.out, kDeepestRecord));
  } catch (const std::exception& error) {
    return unanswered(
        fmt::format("the probe's answer cannot be read ({}): {}", error.what(), excerpt(finished.out, 200)));
  }
}

Machine probe(SubprocessSet& set, const BuiltFor& built) {
  const auto start = Clock::now();
  Machine machine = read_probe(run_to_end(set, probe_spec(built), kProbeLimit));
  if (SubprocessSet::interrupts()) throw std::runtime_error("interrupted while the GPUs were looked at");
  machine.probe_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return machine;
}

std::chrono::milliseconds start_up_limit(const Machine& machine) {
  return std::max(std::chrono::milliseconds(60'000),
                  std::chrono::milliseconds(static_cast<int64_t>(20 * machine.probe_ms)));
}

std::chrono::milliseconds exit_limit(const Machine& machine) {
  return std::chrono::milliseconds(static_cast<int64_t>(10 * machine.probe_ms));
}

bool nvidia_device_present(const fs::path& root) {
  std::error_code ignored;
  const fs::path gpus = root / "proc/driver/nvidia/gpus";
  if (fs::exists(gpus, ignored)) return !fs::is_empty(gpus, ignored);
  return fs::exists(root / "dev/nvidiactl", ignored);
}

std::string os_name() {
  utsname kernel = {};
  uname(&kernel);
  std::string system = fmt::format("{} {}", kernel.sysname,
                                   std::string_view(kernel.release).substr(0, strcspn(kernel.release, "-")));
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("PRETTY_NAME=", 0) != 0) continue;
    std::string name = line.substr(12);
    std::erase(name, '"');
    return name + ", " + system;
  }
  return system;
}

}  // namespace cudasem
