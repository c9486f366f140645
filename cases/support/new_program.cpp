#include "support/new_program.h"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "case.h"

namespace cudasem {

nlohmann::json probe_of_a_new_program() {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  FILE* const program = ::popen(("'" + self + "' --probe").c_str(), "r");
  require(program != nullptr, "the program started");
  std::string said;
  for (int c = std::fgetc(program); c != EOF; c = std::fgetc(program)) said += static_cast<char>(c);
  require(::pclose(program) == 0, "the program ended with 0");
  auto answer = nlohmann::json::parse(said, nullptr, /*allow_exceptions=*/false);
  require(answer.is_object(), "the program answered with a JSON object, not \"" + said.substr(0, 200) + "\"");
  return answer;
}

}  // namespace cudasem
