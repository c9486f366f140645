// The command `judge`: old observations, today's expectations.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "expectations.h"
#include "log_reader.h"
#include "recordings.h"
#include "waivers.h"

namespace cudasem {

/// The log with its verdicts, waivers, expectations, counts and exit replaced, and `judged_from` set. Pure.
std::vector<nlohmann::json> rejudge(const Log& log, const Expectations& expectations,
                                    const Recordings& recordings, const Waivers& waivers = {});

/// Writes events as a log, compressed if `file` ends in ".gz". Throws LogError if `file` exists or cannot be
/// written.
void write_log(const std::filesystem::path& file, const std::vector<nlohmann::json>& events);

struct JudgeOptions {
  std::filesystem::path log = {};
  std::filesystem::path out = {};       ///< must not exist
  std::filesystem::path expected = {};  ///< folder expected/
  std::filesystem::path recorded = {};  ///< folder reports/recorded/, for `evidence`; may be missing
  std::filesystem::path waivers = {};   ///< a file of waivers; may be empty
};

/// "x-judged.ndjson" beside x.ndjson or x.ndjson.gz; with a number if that is taken.
std::filesystem::path judged_name(const std::filesystem::path& log);

/// Prints counts and whatever is not as expected, and the new log's name. Returns an exit status as in
/// INTERPRETING.md section 9.
int judge_command(const JudgeOptions& options, std::ostream& out, std::ostream& err);

}  // namespace cudasem
