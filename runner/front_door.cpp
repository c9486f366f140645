#include "front_door.h"

#include <fmt/format.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "expectations.h"
#include "layout.h"
#include "log_reader.h"
#include "rejudge.h"

extern char** environ;

namespace cudasem {

namespace fs = std::filesystem;

namespace {

/// A folder that goes away with its owner.
struct TemporaryFolder {
  fs::path path;
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "cudasem-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw std::runtime_error(fmt::format("cannot make a folder {}: {}", name, strerror(errno)));
    path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

bool is_log(const std::string& argument) {
  return (argument.ends_with(".ndjson") || argument.ends_with(".ndjson.gz")) && fs::is_regular_file(argument);
}

/// Judges every log among `args` again and puts the new one in its place.
void rejudge_logs(std::vector<std::string>& args, const std::string& expected, const fs::path& folder) {
  const auto expectations = Expectations::load(expected);
  for (const auto& problem : expectations.problems()) fmt::print(stderr, "{}\n", text(problem));
  if (has_errors(expectations.problems()))
    throw std::runtime_error(fmt::format("the expectations in {} have errors: correct them first", expected));
  std::vector<Problem> problems;
  const auto recordings = Recordings::load(layout::home() / "reports" / "recorded", problems);
  int number = 0;
  for (auto& argument : args) {
    if (!is_log(argument)) continue;
    const fs::path judged = folder / std::to_string(++number) / fs::path(argument).filename();
    fs::create_directories(judged.parent_path());
    write_log(judged, rejudge(read_log(argument), expectations, recordings));
    argument = judged.string();
  }
}

int run_in_terminal(const std::string& program, const std::vector<std::string>& args) {
  const std::string reports = (layout::home() / "reports").string();
  const char* old = getenv("PYTHONPATH");
  setenv("PYTHONPATH", (old && *old ? reports + ":" + old : reports).c_str(), 1);
  setenv("CUDASEM_PROGRAM", (layout::program_dir() / "cudasem").c_str(), 0);
  std::vector<std::string> argv = {program, "-m", "cudasem_reports"};
  argv.insert(argv.end(), args.begin(), args.end());
  std::vector<char*> pointers;
  for (auto& argument : argv) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t pid = -1;
  if (int error = posix_spawnp(&pid, program.c_str(), nullptr, nullptr, pointers.data(), environ))
    throw std::runtime_error(fmt::format("cannot start {}: {}", program, strerror(error)));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

const std::vector<FrontDoorCommand>& front_door_commands() {
  static const std::vector<FrontDoorCommand> commands = {
      {"report", "one run as a dated report"},
      {"diff", "what changed between two runs"},
      {"matrix", "cases against runs: what differs between releases"},
      {"bisect", "which release flipped a case"},
      {"new-case", "a case, its claim and its expectation as stubs that lint, and whose oracle fails"},
      {"propose", "entries for expected/ from what runs showed, for a person to complete"},
      {"handbook", "don't do this: a page for each misuse, an index of error texts"},
      {"coverage", "documented statements and the cases that show each"},
      {"history", "a folder of logs: what changed when, run times, flakes"},
      {"export", "a case as a program of its own, for a bug report"},
      {"pools", "the pool-boundary study: can the split path be one graph now?"},
  };
  return commands;
}

bool is_front_door(std::string_view word) {
  const auto& all = front_door_commands();
  return std::any_of(all.begin(), all.end(), [&](const auto& command) { return command.name == word; });
}

Python find_python(SubprocessSet& set) {
  Python python;
  const char* chosen = getenv("CUDASEM_PYTHON");
  const fs::path venv = layout::home() / ".venv" / "bin" / "python";
  python.program = chosen && *chosen ? chosen : fs::exists(venv) ? venv.string() : "python3";
  ProcessSpec check{.argv = {"/usr/bin/env", python.program, "-c", "import jinja2"}};
  const Finished answer = run_to_end(set, check, std::chrono::seconds(30));
  if (answer.ending.exit == 127 || answer.ending.exit == 126)
    python.problem = fmt::format(
        "no Python: {} cannot be started. Install Python 3.11 or newer, or name one in "
        "CUDASEM_PYTHON",
        python.program);
  else if (answer.err.find("ModuleNotFoundError") != answer.err.npos)
    python.problem = fmt::format(
        "{} does not find Jinja2, which reports need: `{} -m pip install jinja2`, or `ci/setup` "
        "for a .venv, or name another Python in CUDASEM_PYTHON",
        python.program, python.program);
  else if (answer.ending.exit != 0)
    python.problem = fmt::format("{} -c 'import jinja2' fails: {}", python.program, answer.err);
  return python;
}

DiffRequest take_expected(const std::vector<std::string>& args) {
  DiffRequest request;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--expected" && i + 1 < args.size())
      request.expected = args[++i];
    else if (args[i].starts_with("--expected="))
      request.expected = args[i].substr(strlen("--expected="));
    else
      request.args.push_back(args[i]);
  }
  return request;
}

int front_door(const std::vector<std::string>& args) {
  Python python;
  {
    SubprocessSet set;  // gone before the terminal is handed over: it holds signals back
    python = find_python(set);
  }
  if (!python.problem.empty()) {
    fmt::print(stderr, "cudasem {}: {}\n", args.at(0), python.problem);
    return 2;
  }
  if (args[0] != "diff") return run_in_terminal(python.program, args);
  DiffRequest request = take_expected(args);
  if (request.expected.empty()) return run_in_terminal(python.program, args);
  TemporaryFolder folder;
  rejudge_logs(request.args, request.expected, folder.path);
  return run_in_terminal(python.program, request.args);
}

}  // namespace cudasem
