// For tests of the whole program: `cudasem run` over the misbehaving binary.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "log_reader.h"
#include "process.h"
#include "test_folder.h"

namespace cudasem::test {

using Environment = std::map<std::string, std::string>;

class RunProgram : public testing::Test {
 protected:
  RunProgram() {
    folder.write("expected/releases.toml",
                 read_file(fs::path(CUDASEM_SOURCE_DIR) / "expected/releases.toml"));
    fs::create_directories(folder / "recorded");
  }

  /// `cudasem run …` over the folder, with the log at `log_path()`.
  ProcessSpec run_spec(const std::vector<std::string>& args, const Environment& env = {}) const {
    ProcessSpec spec{.argv = {CUDASEM_PROGRAM, "run", "--cases", folder.path(), "--expected",
                              folder / "expected", "--floor-from", folder / "recorded"},
                     .env = env};
    const bool elsewhere = std::any_of(args.begin(), args.end(), [](const std::string& argument) {
      return argument == "--out" || argument == "--resume";
    });
    if (!elsewhere) spec.argv.insert(spec.argv.end(), {"--out", log_path()});
    spec.argv.insert(spec.argv.end(), args.begin(), args.end());
    return spec;
  }
  Finished run(const std::vector<std::string>& args, const Environment& env = {}) {
    SubprocessSet set;
    fs::remove(log_path());
    return run_to_end(set, run_spec(args, env), std::chrono::seconds(60));
  }
  Finished cudasem(std::vector<std::string> args) {
    SubprocessSet set;
    args.insert(args.begin(), CUDASEM_PROGRAM);
    return run_to_end(set, {.argv = args, .env = {{"CUDASEM_CASES", folder.path()}}},
                      std::chrono::seconds(60));
  }
  void expect(const std::string& toml) { folder.write("expected/misbehave.toml", toml); }

  fs::path log_path() const { return folder / "run.ndjson"; }
  Log log() const { return read_log(log_path()); }
  Observed observed(const std::string& id) const {
    for (const auto& entry : log().entries)
      if (entry.id() == id && !entry.attempts.empty()) return entry.attempts.back();
    ADD_FAILURE() << "no end of " << id;
    return {};
  }
  std::vector<nlohmann::json> events(const std::string& word) const {
    std::vector<nlohmann::json> found;
    for (const auto& event : log().events)
      if (event.at("event") == word) found.push_back(event);
    return found;
  }
  /// "attempt how outcome" of each `end` of a case.
  std::vector<std::string> ends(const std::string& id) const {
    std::vector<std::string> found;
    for (const auto& event : events("end"))
      if (event.at("key").get<std::string>().starts_with(id + " |"))
        found.push_back(std::to_string(event.at("attempt").get<int>()) + " " +
                        event.at("how").get<std::string>() + " " + event.at("outcome").get<std::string>());
    return found;
  }
  std::string verdict(const std::string& id) const {
    for (const auto& entry : log().entries)
      if (entry.id() == id && entry.verdict.is_object()) return entry.verdict.at("verdict");
    return "none";
  }

  MisbehaveFolder folder;
};

}  // namespace cudasem::test
