// A case binary of many cases that pass and cost nothing, without torch: what `ci/bench` measures the runner
// with.
//
// TRIVIAL_CASES=N        how many (default 500)
// TRIVIAL_ISOLATION=WORD what they are marked with (default process)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string>

namespace {

std::string variable(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value && *value ? value : otherwise;
}

int list() {
  const int count = atoi(variable("TRIVIAL_CASES", "500").c_str());
  const std::string isolation = variable("TRIVIAL_ISOLATION", "process");
  printf("{\"protocol\": 1, \"area\": \"trivial\", \"built_for\": \"2.14.1\", \"cases\": [");
  for (int i = 0; i < count; ++i)
    printf(
        "%s\n{\"case\": \"trivial.case_%05d\", \"kind\": \"rule\", \"ways\": [], \"title\": \"Case %d passes "
        "and "
        "costs nothing\", \"claims\": [\"runner.trivial\"], \"links\": [], \"needs\": {\"gpus\": 0, "
        "\"features\": "
        "[], \"caching\": false}, \"lacks\": [], \"env\": {}, \"isolation\": \"%s\", \"time_limit_s\": 10, "
        "\"file\": \"runner/trivial.cpp\", \"line\": 1, \"source\": \"CASE(trivial, case_%05d) {\\n  // as "
        "long "
        "as a case of the corpus: ten lines or so of set-up, act, and what must be true\\n  // of it "
        "afterwards\\n}\\n\", \"hash\": \"feed\"}",
        i ? "," : "", i, i, isolation.c_str(), i);
  puts("]}");
  return 0;
}

int probe() {
  puts(
      "{\"protocol\": 1, \"torch\": \"2.14.1\", \"cuda_build\": \"13.0\", \"cuda_runtime\": \"13.0\", "
      "\"driver_api\": \"\", \"driver\": \"\", \"gpus\": [], \"error\": \"no CUDA-capable device is "
      "detected\", "
      "\"ms\": 1}");
  return 0;
}

int run(char** ids, int count, int fd) {
  dprintf(fd, "{\"record\": \"hello\", \"protocol\": 1, \"built_for\": \"2.14.1\"}\n");
  for (int i = 0; i < count; ++i) {
    dprintf(fd, "{\"record\": \"begin\", \"case\": \"%s\", \"hash\": \"feed\"}\n", ids[i]);
    dprintf(fd, "{\"record\": \"end\", \"case\": \"%s\"}\n", ids[i]);
  }
  dprintf(fd, "{\"record\": \"bye\"}\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "--list") == 0) return list();
  if (argc == 2 && strcmp(argv[1], "--probe") == 0) return probe();
  if (argc >= 5 && strcmp(argv[1], "--run") == 0 && strcmp(argv[argc - 2], "--record-fd") == 0)
    return run(argv + 2, argc - 4, atoi(argv[argc - 1]));
  fputs("usage: cudasem_trivial --list | --probe | --run ID… --record-fd N\n", stderr);
  return 64;
}
