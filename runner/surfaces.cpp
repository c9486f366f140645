#include "surfaces.h"

#include <optional>

#include "console_status.h"
#include "github.h"
#include "junit.h"
#include "profiles.h"
#include "run_summary.h"

namespace cudasem {

int watched_run(const RunOptions& options, const Surfaces& surfaces) {
  std::FILE* words = surfaces.json == "-" ? stderr : stdout;  // stdout holds the document alone
  StatusGroup status;
  ConsoleStatus console = ConsoleStatus::for_stream(words);
  status.add(console);
  std::optional<GithubStatus> github;
  if (surfaces.github || GithubStatus::is_here()) status.add(github.emplace(GithubStatus::for_step(words)));
  std::optional<JunitFile> junit;
  if (!surfaces.junit.empty()) status.add(junit.emplace(surfaces.junit));
  std::optional<SummaryFile> summary;
  if (!surfaces.json.empty()) status.add(summary.emplace(surfaces.json));
  try {
    if (options.profile == "native")
      if (const auto warning = not_native(); !warning.empty()) status.note(warning);
    return run_command(options, status);
  } catch (const std::exception& error) {
    status.refused(error.what());
    throw;
  }
}

}  // namespace cudasem
