// A case binary without torch that does everything a runner dreads: the runner's own test subject.
//
// MISBEHAVE_GPUS=N     the probe finds N GPUs (default 0)
// MISBEHAVE_SICK=FILE  the probe calls GPU 0 unhealthy once FILE exists; `poisons` creates it
// MISBEHAVE_ONCE=FILE  `fails_once` fails unless FILE exists, and makes it
// MISBEHAVE_PROBE=…    `hang` or `crash`: what the probe does instead of answering
// MISBEHAVE_LIST=…     `garbage`, `wrong_torch` (exit 3), `newer` (protocol 2) or `slow` (for ever, after a
// line in MISBEHAVE_RUNS): what --list does; `few`: what it lists MISBEHAVE_GO=FILE    `waits_for_file` waits
// until FILE exists MISBEHAVE_RUNS=FILE  each --run appends its id and GPUs, so that tests see what was
// started and in which order
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using nlohmann::json;

namespace {

struct Case {
  std::string name, title;
  std::function<void(const std::string& id)> body;
  int gpus = 0;
  double time_limit_s = 5;
  std::string kind = "rule", isolation = "process", feature = "";
  bool caching = false;
  bool listed = true;
};

int g_record_fd = -1;
bool g_greeted = false;     // `hello` is said once a process
bool g_dirty = false;       // the process must not run another case
bool g_more_cases = false;  // `bye` is said after the last case

std::string variable(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

void write_raw(const std::string& bytes) {
  if (g_record_fd >= 0 && write(g_record_fd, bytes.data(), bytes.size()) < 0) _exit(90);
}
void record(const json& object) {
  write_raw(object.dump() + "\n");
}
void hello() {
  if (std::exchange(g_greeted, true)) return;
  record({{"record", "hello"}, {"protocol", 1}, {"built_for", "2.14.1"}});
}
void begin(const std::string& id) {
  record({{"record", "begin"}, {"case", id}, {"hash", "feed"}});
}
void mark(const std::string& label) {
  record({{"record", "mark"}, {"label", label}});
}
void end(const std::string& id) {
  record({{"record", "end"}, {"case", id}});
}
void bye() {
  if (g_more_cases) return;
  record({{"record", "bye"}});
}

void observe(json effect) {
  effect["record"] = "observe";
  record(effect);
}
void error(const std::string& at, int code, const std::string& text) {
  observe(
      {{"outcome", "error"}, {"at", at}, {"type", "c10::AcceleratorError"}, {"code", code}, {"text", text}});
}

/// hello and begin, what the case does, end and bye.
auto whole(const std::function<void()>& body) {
  return [body](const std::string& id) {
    hello();
    begin(id);
    body();
    end(id);
    bye();
  };
}

[[noreturn]] void wait_forever() {
  for (;;) pause();
}

void flood(FILE* stream, size_t bytes) {
  const std::string block(1024 * 1024, 'x');
  for (size_t sent = 0; sent < bytes; sent += block.size()) fwrite(block.data(), 1, block.size(), stream);
  fflush(stream);
}

/// A grandchild in this process group, or in one of its own, that keeps stdout, stderr and the record pipe
/// open.
void leave_grandchild(bool own_group) {
  pid_t pid = fork();
  if (pid != 0) return;
  if (own_group) setpgid(0, 0);
  alarm(20);
  wait_forever();
}

void touch(const std::string& path) {
  if (FILE* file = fopen(path.c_str(), "a")) fclose(file);
}

std::vector<Case> cases() {
  return {
      {"passes", "nothing to see", whole([] {
         record({{"record", "fact"}, {"key", "answer"}, {"value", 42}});
         record({{"record", "warning"}, {"text", "careful"}});
       })},
      {"fails", "an oracle fails", whole([] {
         observe({{"outcome", "fail"}, {"at", "cases/x.cpp:14"}, {"setup", false}, {"text", "1 is not 2"}});
       })},
      {"fails_setup", "a requirement fails", whole([] {
         observe({{"outcome", "fail"}, {"at", "cases/x.cpp:15"}, {"setup", true}, {"text", "gate is open"}});
       })},
      {"throws", "an error with a code, then another", whole([] {
         error("item", 900, "CUDA error: operation not permitted when stream is capturing");
         error("capture_end", 901, "CUDA error: operation failed due to a previous error during capture");
       })},
      {"corrupts", "memory holds another value", whole([] {
         observe({{"outcome", "corrupt"},
                  {"at", "second"},
                  {"class", "overwritten"},
                  {"want", "20"},
                  {"got", "2"}});
       })},
      {"skips", "leaves as unsupported", whole([] {
         observe({{"outcome", "skip"}, {"detail", "unsupported"}, {"text", "no such feature"}});
       })},
      {"crashes", "SIGSEGV", whole([] {
         mark("before");
         signal(SIGSEGV, SIG_DFL);
         raise(SIGSEGV);
       })},
      {"aborts", "uncaught exception", whole([] {
         mark("before");
         throw std::runtime_error("thrown out of main");
       })},
      {"hangs", "never ends", whole([] {
         mark("waiting");
         wait_forever();
       }),
       0, 0.3},
      {"ignores_sigterm", "never ends and will not listen", whole([] {
         signal(SIGTERM, SIG_IGN);
         wait_forever();
       }),
       0, 0.3},
      {"hangs_at_exit", "never exits",
       [](const std::string& id) {
         whole([] {})(id);
         wait_forever();
       },
       0, 0.3},
      {"never_begins", "waits before begin", [](const std::string&) { wait_forever(); }, 0, 5, "rule",
       "process", "", false, false},
      {"floods_stdout", "200 MiB of output", whole([] { flood(stdout, 200u << 20); })},
      {"floods_stderr", "200 MiB of errors", whole([] { flood(stderr, 200u << 20); })},
      {"half_record", "exits in the middle of a record",
       [](const std::string& id) {
         hello();
         begin(id);
         write_raw("{\"record\": \"obs");
       }},
      {"garbage", "binary bytes for a record",
       [](const std::string& id) {
         hello();
         begin(id);
         write_raw(std::string("\x00\xff\xfe\n", 4));
       }},
      {"long_line", "a record of 2 MiB",
       [](const std::string& id) {
         hello();
         begin(id);
         write_raw(std::string(2 << 20, 'y') + "\n");
       }},
      {"ends_twice", "a second end",
       [](const std::string& id) {
         whole([] {})(id);
         end(id);
       }},
      {"begins_another", "begins a case that nobody asked for",
       [](const std::string&) {
         hello();
         begin("misbehave.passes");
       }},
      {"silent", "begins and exits with 0",
       [](const std::string& id) {
         hello();
         begin(id);
       }},
      {"no_begin", "exits before it begins", [](const std::string&) { fputs("changed my mind\n", stderr); }},
      {"dies_after_end", "a throwing destructor",
       [](const std::string& id) {
         whole([] {})(id);
         abort();
       }},
      {"exits_7", "exit status 7 after begin",
       [](const std::string& id) {
         hello();
         begin(id);
         _exit(7);
       }},
      {"closes_record", "closes the record descriptor",
       [](const std::string& id) {
         hello();
         begin(id);
         close(g_record_fd);
       }},
      {"leaves_grandchild", "a grandchild holds the pipes", whole([] { leave_grandchild(false); })},
      {"leaves_stranger", "a grandchild in another group holds the pipes",
       whole([] { leave_grandchild(true); })},
      {"misused", "one body, two ways",
       [](const std::string& id) {
         bool wrong = id.ends_with("/wrong");
         whole([&] {
           if (wrong) error("replay", 700, "CUDA error: an illegal memory access was encountered");
         })(id);
       },
       1, 5, "misuse"},
      {"on_gpu", "needs a GPU", whole([] {}), 1},
      {"poisons", "leaves the GPU sick", whole([] {
         touch(variable("MISBEHAVE_SICK"));
         abort();
       }),
       1},
      {"on_gpu_later", "needs a GPU, after the poison", whole([] {}), 1},
      {"on_two_gpus", "needs two GPUs", whole([] {}), 2},
      {"needs_caching", "needs the caching allocator", whole([] {}), 1, 5, "rule", "process", "", true},
      {"needs_feature", "needs a feature this build lacks", whole([] {}), 0, 5, "rule", "process",
       "if_nodes"},
      {"alone", "measures time", whole([] {}), 0, 5, "measure", "exclusive"},
      {"waits_for_file", "ends once a file is there", whole([] {
         const std::string path = variable("MISBEHAVE_GO");
         if (path.empty()) return;
         while (access(path.c_str(), F_OK) != 0) usleep(1000);
       }),
       0, 60},
      {"after_waiting", "nothing to see", whole([] {}), 0},
      {"shares", "earned to share a process", whole([] {
         record({{"record", "fact"}, {"key", "answer"}, {"value", 42}});
       }),
       0, 5, "rule", "shared"},
      {"shares_and_crashes", "dies in a batch only",
       [](const std::string& id) {
         hello();
         begin(id);
         if (g_more_cases) raise(SIGKILL);
         end(id);
         bye();
       },
       0, 5, "rule", "shared"},
      {"shares_too", "earned to share a process, too", whole([] {}), 0, 5, "rule", "shared"},
      {"shares_dirt", "cannot be put back",
       [](const std::string& id) {
         whole([] {})(id);
         if (!g_more_cases) return;
         record({{"record", "dirt"}, {"case", id}, {"what", "8 bytes are still allocated"}});
         g_dirty = true;
       },
       0, 5, "rule", "shared"},
      {"shares_last", "earned to share a process, last", whole([] {}), 0, 5, "rule", "shared"},
      {"fails_once", "fails until a file is there", whole([] {
         const std::string path = variable("MISBEHAVE_ONCE");
         if (path.empty() || access(path.c_str(), F_OK) == 0) return;
         touch(path);
         observe({{"outcome", "fail"}, {"at", "cases/x.cpp:16"}, {"setup", false}, {"text", "1 is not 2"}});
       })},
      {"host_path", "writes where it lives", whole([] {
         observe({{"outcome", "error"},
                  {"at", "open"},
                  {"type", "std::runtime_error"},
                  {"text", "cannot open " + variable("MISBEHAVE_PATH")}});
       })},
  };
}

json describe(const Case& c) {
  json lacks = json::array(), features = json::array(), ways = json::array();
  if (!c.feature.empty()) features = lacks = json::array({c.feature});
  if (c.kind == "misuse") ways = {"wrong", "right"};
  return {{"case", "misbehave." + c.name},
          {"kind", c.kind},
          {"ways", ways},
          {"title", c.title},
          {"claims", json::array({"runner." + c.name})},
          {"links", json::array()},
          {"needs", {{"gpus", c.gpus}, {"features", features}, {"caching", c.caching}}},
          {"lacks", lacks},
          {"isolation", c.isolation},
          {"time_limit_s", c.time_limit_s},
          {"file", "runner/misbehave.cpp"},
          {"line", 1},
          {"source", "CASE(misbehave, " + c.name + ") {}\n"},
          {"hash", "feed"}};
}

/// A line in MISBEHAVE_RUNS.
void log_start(const std::string& what) {
  const std::string path = variable("MISBEHAVE_RUNS");
  if (path.empty()) return;
  if (FILE* file = fopen(path.c_str(), "a")) {
    fprintf(file, "%s\n", what.c_str());
    fclose(file);
  }
}

int list() {
  const std::string mode = variable("MISBEHAVE_LIST");
  if (mode == "slow") {
    log_start("--list");
    wait_forever();
  }
  if (mode == "wrong_torch") {
    fputs("built for torch 2.14.1, loaded with 2.11.0\n", stderr);
    return 3;
  }
  json all = json::array();
  for (const auto& c : cases())
    if (c.listed && (mode != "few" || all.size() < 3)) all.push_back(describe(c));
  json answer = {
      {"protocol", mode == "newer" ? 2 : 1}, {"area", "misbehave"}, {"built_for", "2.14.1"}, {"cases", all}};
  puts(mode == "garbage" ? "terminate called after" : answer.dump().c_str());
  return 0;
}

int probe() {
  const std::string mode = variable("MISBEHAVE_PROBE");
  if (mode == "hang") wait_forever();
  if (mode == "crash") abort();
  const std::string sick = variable("MISBEHAVE_SICK");
  const bool ill = !sick.empty() && access(sick.c_str(), F_OK) == 0;
  json gpus = json::array();
  for (int i = 0; i < atoi(variable("MISBEHAVE_GPUS").c_str()); ++i)
    gpus.push_back({{"index", i},
                    {"name", "Imaginary 1"},
                    {"cc", "9.0"},
                    {"memory_MiB", 1024},
                    {"ecc", true},
                    {"mig", false},
                    {"healthy", !(ill && i == 0)}});
  json answer = {{"protocol", 1},
                 {"torch", "2.14.1"},
                 {"cuda_build", "13.0"},
                 {"cuda_runtime", "13.0"},
                 {"driver_api", gpus.empty() ? "" : "13.0"},
                 {"driver", gpus.empty() ? "" : "580.159.03"},
                 {"gpus", gpus},
                 {"error", gpus.empty() ? "no CUDA-capable device is detected" : ""},
                 {"ms", 5}};
  puts(answer.dump().c_str());
  return 0;
}

int run_one(const std::string& id) {
  log_start(id + " [" + variable("CUDA_VISIBLE_DEVICES") + "]");
  for (const auto& c : cases()) {
    const std::string name = "misbehave." + c.name;
    if (id != name && id != name + "/wrong" && id != name + "/right") continue;
    c.body(id);
    return 0;
  }
  fprintf(stderr, "no case %s\n", id.c_str());
  return 4;
}

int run(const std::vector<std::string>& ids, int fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed runner leaves nobody behind
  g_record_fd = fd;
  for (size_t i = 0; i < ids.size(); ++i) {
    g_more_cases = i + 1 < ids.size();
    if (const int status = run_one(ids[i])) return status;
    if (g_dirty) break;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() == 1 && args[0] == "--list") return list();
  if (args.size() == 1 && args[0] == "--probe") return probe();
  if (args.size() >= 4 && args[0] == "--run" && args[args.size() - 2] == "--record-fd")
    return run({args.begin() + 1, args.end() - 2}, atoi(args.back().c_str()));
  fputs("usage: cudasem_misbehave --list | --probe | --run ID [ID...] --record-fd N\n", stderr);
  return 64;
}
