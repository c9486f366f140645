// What can be run: the folder of case binaries that a build made, and what each says of its cases (`--list`).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "case_info.h"
#include "process.h"

namespace cudasem {

/// `subject.json` of a folder of case binaries: which libtorch they were built for, and where it was.
struct BuiltFor {
  std::filesystem::path folder = {};
  std::string torch = {};       ///< "2.14.1+cu130"
  std::string git = {};         ///< of the libtorch
  std::string cuda_build = {};  ///< "13.0"
  std::string compiler = {};    ///< "Clang 14.0.6"
  std::filesystem::path torch_lib = {}, cuda_lib = {}, build_log = {};
  std::vector<std::string> areas = {};

  std::filesystem::path binary(const std::string& area) const { return folder / ("cudasem_" + area); }
  std::vector<std::string> areas_present() const;
  std::vector<std::string> areas_absent() const;
};

/// Throws std::runtime_error that says what to do when there is no readable subject.json.
BuiltFor read_subject(const std::filesystem::path& folder);

/// Points `built` at another libtorch: its folder (`…/torch`) or that folder's `lib`.
void use_torch(BuiltFor& built, const std::filesystem::path& torch);

/// Throws if there is no libtorch in `built.torch_lib` or if its version is not the one that was built for.
void check_torch(const BuiltFor& built);

/// The full version of the libtorch in use, "2.14.1+cu130", as it says itself; else of the one built for.
std::string torch_in_use(const BuiltFor& built);

/// The environment in which the case binaries find that libtorch.
std::map<std::string, std::string> library_environment(const BuiltFor& built);

/// The first compiler error in a build log that belongs to `area`; empty if there is none.
std::string first_error(std::string_view build_log, const std::string& area);

struct CatalogCase {
  CaseInfo info;
  std::string area;
};

struct Uncompiled {
  std::string area, text;  ///< first compiler error, or that none is known
};

struct Catalog {
  std::vector<CatalogCase> cases;  ///< areas in the order of subject.json, cases in the order of their binary
  std::vector<Uncompiled> uncompiled;
};

/// Runs `--list` of all binaries at once. Throws if one does not answer within 60 s with what the protocol
/// demands, or if the user interrupts.
Catalog load_catalog(SubprocessSet& set, const BuiltFor& built);

}  // namespace cudasem
