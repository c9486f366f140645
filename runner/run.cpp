#include "run.h"

#include <signal.h>
#include <sys/resource.h>

#include "running.h"

namespace cudasem {

int run_command(const RunOptions& options, Status& status) {
  const rlimit no_core = {0, 0};  // a case that crashes on purpose must not spend seconds on writing a core
  setrlimit(RLIMIT_CORE, &no_core);
  signal(SIGXFSZ, SIG_IGN);  // a log that may not grow is said by write(2), not by death
  signal(SIGPIPE, SIG_IGN);  // nor is a terminal that went away the end of the run
  SubprocessSet set;
  if (options.resume.empty()) {
    const Survey survey = look_around(set, options, status);
    return Running(set, options, survey, {}, status).go();
  }
  Earlier earlier = read_earlier(options.resume);
  RunOptions same = options;
  ask_for_the_same(earlier, same);
  const Survey survey = look_around(set, same, status);
  check_same_run(earlier, survey);
  return Running(set, same, survey, std::move(earlier), status).go();
}

}  // namespace cudasem
