// What the machine offers, asked of a probe child (`--probe`) so that a sick driver cannot take the runner
// with it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "catalog.h"
#include "process.h"

namespace cudasem {

struct Gpu {
  int index = 0;
  std::string name = {};
  std::string cc = {};
  int memory_MiB = 0;
  bool ecc = false, mig = false;
  bool healthy = true;
};

struct Machine {
  std::string torch = {};         ///< as loaded, "2.14.1"
  std::string cuda_runtime = {};  ///< "13.0"
  std::string driver_api = {};    ///< highest CUDA that the driver knows, "13.0"
  std::string driver = {};        ///< "580.159.03"; empty without one
  std::vector<Gpu> gpus = {};
  std::string error = {};  ///< why there is no usable GPU
  bool answered = true;    ///< false: the probe crashed, hung or said nothing that can be read
  double probe_ms = 0;     ///< how long the child took, start to exit

  int usable_gpus() const;
};

inline constexpr std::chrono::seconds kProbeLimit{120};

/// How to start the probe child: `--probe` of the first binary. Throws if no area compiled.
ProcessSpec probe_spec(const BuiltFor& built);

/// Reads a probe child's answer. One that crashed, hung or said something else found no GPU; `error` says
/// what happened.
Machine read_probe(const Finished& finished);

/// Asks and waits, 120 s at most. Throws std::runtime_error if the user interrupts.
Machine probe(SubprocessSet& set, const BuiltFor& built);

/// A healthy start is never mistaken for a hang: the larger of 60 s and 20 probes.
std::chrono::milliseconds start_up_limit(const Machine& machine);

/// The same for taking a context down: 10 probes.
std::chrono::milliseconds exit_limit(const Machine& machine);

/// Whether the kernel driver shows an NVIDIA GPU, whatever CUDA says. `root` is "/" outside tests.
bool nvidia_device_present(const std::filesystem::path& root = "/");

/// "Ubuntu 24.04.2 LTS, Linux 6.8.0"
std::string os_name();

}  // namespace cudasem
