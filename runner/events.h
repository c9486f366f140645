// The events of a log (INTERPRETING.md section 8) as JSON. Pure: nothing here writes, runs or decides.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catalog.h"
#include "judge.h"
#include "machine.h"
#include "plan.h"
#include "stress.h"

namespace cudasem::events {

/// "capture.item_inside/wrong | torch 2.14.1+cu130 | native"
std::string key(const std::string& id, const Subject& subject);

struct Run {
  std::string id, tool, expected_hash, utc, profile;
  std::vector<std::string> argv;
  int shard = 1, shards = 1;
  bool complete = false;      ///< every case that there is was planned, or is in another shard
  nlohmann::json asked = {};  ///< what was asked for, so that `--resume` can ask for the same
};
nlohmann::json run(const Run& run);
nlohmann::json machine(const Machine& machine);
/// Reads the binaries, for their hashes.
nlohmann::json subject(const BuiltFor& built, const Machine& machine);
nlohmann::json plan(const std::string& key, const PlanItem& item, const std::string& profile,
                    const nlohmann::json& expectation);
/// The one plan event of an area that did not compile.
nlohmann::json plan_uncompiled(const std::string& key, const std::string& area, const std::string& profile);

/// One of the runs of a case: which, and why.
struct Try {
  int attempt = 1;
  std::string how = "first";  ///< name(Purpose)
};
nlohmann::json begin(const std::string& key, const Try& one, int pid, const std::vector<int>& gpus,
                     double t_ms);

struct Output {
  std::string out = {}, err = {};
};
/// `dirt`: what the case left and its process could not put back.
nlohmann::json end(const std::string& key, const Try& one, const Observed& observed, const Output& output,
                   const std::vector<std::string>& dirt, double ms, double t_ms);
nlohmann::json verdict(const std::string& key, const Judgement& judgement);
nlohmann::json stress(const std::string& key, const StressFinding& finding);
nlohmann::json gpu(int index, bool well, const std::string& cause);
nlohmann::json finish(const std::map<std::string, int>& counts, int exit, double t_ms);

/// FNV-1a over the bytes of a file, 16 hexadecimal digits; empty if it cannot be read.
std::string file_hash(const std::filesystem::path& file);

/// Seconds since the epoch as "2026-11-30T23:36:28Z".
std::string utc(std::time_t seconds);

}  // namespace cudasem::events
