#include "surroundings.h"

#include <ctype.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

namespace cudasem {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kEnoughGpuMiB = 4096;  // the largest case allocates 2 GiB, and eight may run at once
constexpr uintmax_t kMiB = 1 << 20;
constexpr uintmax_t kLittleDisk = 1024 * kMiB, kNoDisk = 64 * kMiB;

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(by));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    parts.push_back(part);
  }
  return parts;
}

std::vector<std::string> fields(std::string_view line) {
  std::vector<std::string> result;
  for (auto part : split(line, ',')) {
    while (!part.empty() && isspace(static_cast<unsigned char>(part.front()))) part.remove_prefix(1);
    while (!part.empty() && isspace(static_cast<unsigned char>(part.back()))) part.remove_suffix(1);
    result.emplace_back(part);
  }
  return result;
}

bool is_number(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) { return isdigit(c); });
}

fs::path found_in(std::string_view path, const std::string& program) {
  for (const auto folder : split(path, ':'))
    if (fs::path file = fs::path(folder) / program; access(file.c_str(), X_OK) == 0) return file;
  return {};
}

bool holds_device(const fs::path& process) {
  std::error_code error;
  for (fs::directory_iterator fd(process / "fd", error), end; !error && fd != end; fd.increment(error)) {
    std::error_code gone;
    const std::string target = fs::read_symlink(fd->path(), gone).string();
    const std::string device = "/dev/nvidia";
    if (target.starts_with(device) && is_number(target.substr(device.size()))) return true;
  }
  return false;
}

std::string ask(SubprocessSet& set, const fs::path& program, const std::string& query) {
  const auto answer = run_to_end(set, {.argv = {program.string(), query, "--format=csv,noheader,nounits"}},
                                 std::chrono::seconds(20));
  return answer.ending.exit == 0 ? answer.out : "";
}

}  // namespace

std::vector<Finding> gpu_memory(std::string_view csv) {
  std::vector<Finding> findings;
  for (const auto line : split(csv, '\n')) {
    const auto words = fields(line);
    if (words.size() < 4) continue;
    if (words[3] == "Enabled")
      findings.push_back(
          {Finding::absent, "GPU " + words[0],
           "MIG is on: cases see one slice, recorded runs saw a whole GPU. `nvidia-smi -mig 0` as "
           "root turns it off"});
    if (!is_number(words[1])) continue;
    const bool enough = std::stoll(words[1]) >= kEnoughGpuMiB;
    findings.push_back(
        {enough ? Finding::good : Finding::absent, "GPU " + words[0],
         fmt::format("{} of {} MiB are free{}", words[1], words[2],
                     enough ? ""
                            : fmt::format(": less than {} MiB, cases about memory may fail. End "
                                          "what else uses it, or run with -j1",
                                          kEnoughGpuMiB))});
  }
  return findings;
}

std::vector<Finding> gpu_processes(std::string_view csv) {
  std::vector<Finding> findings;
  for (const auto line : split(csv, '\n')) {
    const auto words = fields(line);
    if (words.size() < 3) continue;
    findings.push_back(
        {Finding::absent, "GPU alone",
         fmt::format("process {} ({}, {} MiB) uses a GPU: memory and times that are measured will "
                     "be off. End it, or leave out `--kind measure`",
                     words[0], fs::path(words[1]).filename().string(), words[2])});
  }
  if (findings.empty()) findings.push_back({Finding::good, "GPU alone", "no other process uses a GPU"});
  return findings;
}

std::vector<Finding> device_holders(const fs::path& proc) {
  std::vector<Finding> findings;
  std::error_code error;
  for (fs::directory_iterator entry(proc, error), end; !error && entry != end; entry.increment(error)) {
    const std::string pid = entry->path().filename().string();
    if (!is_number(pid) || pid == std::to_string(getpid()) || !holds_device(entry->path())) continue;
    findings.push_back({Finding::absent, "GPU alone",
                        fmt::format("process {} holds a GPU open: memory and times that are measured will be "
                                    "off. End it, or leave out `--kind measure`",
                                    pid)});
  }
  if (findings.empty()) findings.push_back({Finding::good, "GPU alone", "no other process holds a GPU open"});
  return findings;
}

Finding disk_finding(const fs::path& folder, uintmax_t free_bytes) {
  const auto room = fmt::format("{} MiB are free for logs in {}", free_bytes / kMiB, folder.string());
  if (free_bytes < kNoDisk)
    return {Finding::broken, "disk",
            room + ": no run can be kept. Make room, or name another folder with --out"};
  if (free_bytes < kLittleDisk)
    return {Finding::absent, "disk", room + ": a few runs. Make room, or name another folder with --out"};
  return {Finding::good, "disk", room};
}

Finding disk(const fs::path& folder) {
  std::error_code error;
  fs::path there = fs::absolute(folder);
  while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  const auto space = fs::space(there, error);
  if (error) return {Finding::broken, "disk", fmt::format("{}: {}", there.string(), error.message())};
  if (access(there.c_str(), W_OK) != 0)
    return {Finding::broken, "disk",
            fmt::format("{} cannot be written: name another folder for logs with --out", there.string())};
  return disk_finding(folder, space.available);
}

std::vector<Finding> tools(std::string_view path) {
  struct Tool {
    const char *name, *gives, *get;
  };
  constexpr Tool kTools[] = {
      {"gdb", "stacks of a hang", "install the package gdb"},
      {"eu-stack", "stacks of a hang", "install the package elfutils"},
      {"compute-sanitizer", "the kernel and line of a bad access", "it comes with the CUDA toolkit"},
  };
  std::vector<Finding> findings;
  for (const auto& tool : kTools) {
    const fs::path file = found_in(path, tool.name);
    findings.push_back(file.empty()
                           ? Finding{Finding::absent, tool.name,
                                     fmt::format("not on PATH; it would give {}: {}", tool.gives, tool.get)}
                           : Finding{Finding::good, tool.name, file.string()});
  }
  return findings;
}

std::vector<Finding> surroundings(SubprocessSet& set, const fs::path& log_folder) {
  const char* variable = getenv("PATH");
  const std::string path = variable ? variable : "";
  std::vector<Finding> all;
  auto add = [&](std::vector<Finding> more) { all.insert(all.end(), more.begin(), more.end()); };
  const fs::path smi = found_in(path, "nvidia-smi");
  if (!smi.empty()) {
    add(gpu_memory(ask(set, smi, "--query-gpu=index,memory.free,memory.total,mig.mode.current")));
    add(gpu_processes(ask(set, smi, "--query-compute-apps=pid,process_name,used_memory")));
  } else if (fs::exists("/dev/nvidiactl")) {
    add(device_holders());
  }
  all.push_back(disk(log_folder));
  add(tools(path));
  return all;
}

}  // namespace cudasem
