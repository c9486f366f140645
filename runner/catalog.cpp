#include "catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

#include "json_reading.h"
#include "record.h"
#include "version.h"

namespace cudasem {

namespace fs = std::filesystem;
using std::chrono::seconds;

namespace {

constexpr seconds kListLimit{60};
constexpr size_t kListKeep = 64u << 20;  // --list embeds the source of every case

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw std::runtime_error(fmt::format(format, std::forward<Args>(args)...));
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// From `version.py` of a wheel or `build-version` of a libtorch archive; empty if neither is there.
std::string found_version(const fs::path& torch) {
  const std::string python = "\n" + read_text(torch / "version.py");
  const auto at = python.find("\n__version__");  // at the start of a line: `__all__` names it too
  if (at != python.npos) {
    const auto open = python.find_first_of("'\"", at);
    const auto close = open == python.npos ? open : python.find_first_of("'\"", open + 1);
    if (close != python.npos) return python.substr(open + 1, close - open - 1);
  }
  const std::string archive = read_text(torch / "build-version");
  return archive.substr(0, archive.find_first_of(" \r\n"));
}

/// Whether a line of a build log names the target or a source of `area`, and not of one whose name only
/// begins alike.
bool names_area(std::string_view line, const std::string& area) {
  for (const std::string& word : {"cudasem_" + area, "cases/" + area + "/"}) {
    for (auto at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
      const auto next = at + word.size();
      if (word.back() == '/' || next == line.size() ||
          (!isalnum(static_cast<unsigned char>(line[next])) && line[next] != '_'))
        return true;
    }
  }
  return false;
}

void add_cases(Catalog& catalog, const BuiltFor& built, const std::string& area, const Finished& list) {
  const auto binary = built.binary(area).string();
  if (list.timed_out) refuse("{} --list did not answer within {} s", binary, kListLimit.count());
  if (list.ending.exit == 3)
    refuse(
        "{} was built for torch {} and refuses the libtorch in {}: {}. Name the right one with --torch, or "
        "build again",
        binary, built.torch, built.torch_lib.string(), crash_text(list.err));
  if (list.ending.exit == 127 && list.err.find("loading shared libraries") != list.err.npos)
    refuse("{}. Install torch {} with all that it needs (`ci/setup`), or name one with --torch",
           crash_text(list.err), built.torch);
  if (list.ending.exit != 0)
    refuse("{} --list was expected to exit with 0, found {}: {}", binary,
           list.ending.signal.empty() ? std::to_string(list.ending.exit.value_or(-1)) : list.ending.signal,
           crash_text(list.err));
  nlohmann::json answer;
  try {
    answer = parse_json(list.out, kDeepestRecord);
  } catch (const std::exception&) {  // no object: refused below, with what was found
  }
  if (!answer.is_object() || !answer.contains("cases"))
    refuse("{} --list was expected to print one JSON object with `cases`, found: {}", binary,
           excerpt(list.out, 200));
  if (const auto protocol = answer.value("protocol", nlohmann::json()); protocol != kProtocol)
    refuse("{} speaks record protocol {}, this cudasem speaks {}: build both from the same source", binary,
           protocol.dump(), kProtocol);
  try {
    for (const auto& entry : answer.at("cases")) catalog.cases.push_back({case_info_from_json(entry), area});
  } catch (const std::exception& error) {
    refuse("{} --list: {}", binary, error.what());
  }
}

}  // namespace

std::vector<std::string> BuiltFor::areas_present() const {
  std::vector<std::string> present;
  for (const auto& area : areas)
    if (fs::exists(binary(area))) present.push_back(area);
  return present;
}

std::vector<std::string> BuiltFor::areas_absent() const {
  std::vector<std::string> absent;
  for (const auto& area : areas)
    if (!fs::exists(binary(area))) absent.push_back(area);
  return absent;
}

BuiltFor read_subject(const fs::path& folder) {
  const fs::path path = folder / "subject.json";
  if (!fs::exists(path))
    refuse(
        "no case binaries in {}: subject.json is not there. Build them (`ci/setup`, then `cmake --preset "
        "torch "
        "-DCUDASEM_TORCH_DIR=…/torch && cmake --build --preset torch`), or name their folder with --cases",
        folder.string());
  try {
    const auto json = nlohmann::json::parse(read_text(path));
    BuiltFor built;
    built.folder = fs::absolute(folder).lexically_normal();
    built.torch = json.at("torch");
    built.git = json.value("git", "");
    built.cuda_build = json.value("cuda_build", "");
    built.torch_lib = json.at("torch_lib").get<std::string>();
    built.cuda_lib = json.value("cuda_lib", "");
    built.compiler = json.value("compiler", "");
    built.areas = json.at("areas").get<std::vector<std::string>>();
    built.build_log = json.value("build_log", "");
    return built;
  } catch (const nlohmann::json::exception& error) {
    refuse("{} is not what a build writes ({}): build the cases again", path.string(), error.what());
  }
}

void use_torch(BuiltFor& built, const fs::path& torch) {
  const fs::path given = fs::absolute(torch).lexically_normal();
  const bool has_lib = fs::exists(given / "lib" / "libtorch.so");
  built.torch_lib = has_lib ? given / "lib" : given;
  built.cuda_lib.clear();
  const fs::path wheel = built.torch_lib.parent_path().parent_path() / "nvidia" / "cu13" / "lib";
  if (fs::exists(wheel)) built.cuda_lib = wheel;
}

void check_torch(const BuiltFor& built) {
  if (built.torch_lib.empty()) return;  // binaries that need none
  if (!fs::exists(built.torch_lib / "libtorch.so"))
    refuse(
        "no libtorch in {}: libtorch.so of torch {} was expected there. Install it (`ci/setup`) or name its "
        "folder "
        "with --torch",
        built.torch_lib.string(), built.torch);
  const std::string found = found_version(built.torch_lib.parent_path());
  if (!found.empty() && Version::parse(found) != Version::parse(built.torch))
    refuse(
        "the case binaries in {} were built for torch {}, found {} in {}. Name another libtorch with "
        "--torch, or "
        "other binaries with --cases",
        built.folder.string(), built.torch, found, built.torch_lib.parent_path().string());
}

std::string torch_in_use(const BuiltFor& built) {
  const std::string found = built.torch_lib.empty() ? "" : found_version(built.torch_lib.parent_path());
  return found.empty() ? built.torch : found;
}

std::map<std::string, std::string> library_environment(const BuiltFor& built) {
  std::string path;
  const char* old = getenv("LD_LIBRARY_PATH");
  for (const std::string& part :
       {built.torch_lib.string(), built.cuda_lib.string(), std::string(old ? old : "")})
    if (!part.empty()) path += (path.empty() ? "" : ":") + part;
  if (path.empty()) return {};
  return {{"LD_LIBRARY_PATH", path}};
}

std::string first_error(std::string_view build_log, const std::string& area) {
  bool ours = false;
  while (!build_log.empty()) {
    const auto line = build_log.substr(0, build_log.find('\n'));
    build_log.remove_prefix(std::min(build_log.size(), line.size() + 1));
    if (line.starts_with("FAILED:")) ours = names_area(line, area);
    if (line.find("error:") == line.npos) continue;
    if (ours || names_area(line.substr(0, line.find("error:")), area)) return std::string(line);
  }
  return {};
}

Catalog load_catalog(SubprocessSet& set, const BuiltFor& built) {
  Catalog catalog;
  const auto present = built.areas_present();
  std::vector<ProcessSpec> specs;
  for (const auto& area : present)
    specs.push_back({.argv = {built.binary(area).string(), "--list"},
                     .env = library_environment(built),
                     .keep = kListKeep});
  const auto lists = run_to_end(set, specs, kListLimit);
  if (SubprocessSet::interrupts()) refuse("interrupted while the cases were listed");
  for (size_t i = 0; i < present.size(); ++i) add_cases(catalog, built, present[i], lists[i]);

  std::set<std::string> names;
  for (const auto& known : catalog.cases)
    if (!names.insert(known.info.name).second)
      refuse("case {} is listed twice: every name once was expected, also over all areas of {}",
             known.info.name, (built.folder / "subject.json").string());

  const std::string log = read_text(built.build_log);
  for (const auto& area : built.areas_absent()) {
    auto text = first_error(log, area);
    if (text.empty())
      text = fmt::format("{} is not there, and the build log names no error",
                         built.binary(area).filename().string());
    catalog.uncompiled.push_back({area, text});
  }
  return catalog;
}

}  // namespace cudasem
