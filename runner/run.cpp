#include "run.h"

#include <sys/resource.h>

#include "running.h"

namespace cudasem {

int run_command(const RunOptions& options, Status& status) {
  const rlimit no_core = {0, 0};  // a case that crashes on purpose must not spend seconds on writing a core
  setrlimit(RLIMIT_CORE, &no_core);
  SubprocessSet set;
  const Survey survey = look_around(set, options, status);
  Running running(set, options, survey, status);
  return running.go();
}

}  // namespace cudasem
