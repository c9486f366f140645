// Starts a program N times, J at once, and waits: nothing else. What the runner's own speed is held against.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char** environ;

namespace {

/// Quiet, and with a record descriptor that leads nowhere.
bool start(char** argv) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {1, 2, 3}) posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, argv[0], &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) fmt::print(stderr, "cannot start {}: {}\n", argv[0], strerror(error));
  return error == 0;
}

/// Returns how many did not end with 0.
int spawn_all(int count, int at_once, char** argv) {
  int failed = 0;
  for (int started = 0, running = 0; started < count || running > 0;) {
    if (started < count && running < at_once) {
      if (!start(argv)) return count;
      ++started, ++running;
      continue;
    }
    int status = 0;
    if (wait(&status) > 0) --running;
    if (status != 0) ++failed;
  }
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: cudasem_bare_spawn COUNT AT_ONCE PROGRAM [ARGUMENT…]\n");
    return 64;
  }
  const int failed = spawn_all(atoi(argv[1]), atoi(argv[2]), argv + 3);
  if (failed) fmt::print(stderr, "{} processes did not end with 0\n", failed);
  return failed ? 1 : 0;
}
