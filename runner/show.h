// The commands that only look: `list`, `show` and `doctor`.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "catalog.h"
#include "expectations.h"
#include "plan.h"

namespace cudasem {

enum class ListForm { table, json, ids };

/// Prints the cases that `selection` selects. Returns 0, or 2 if there are none.
int list_command(const Catalog& catalog, const Selection& selection, ListForm form, std::ostream& out);

/// Prints title, claims, source and all expectations of the case that `id` names (with or without its way),
/// those that apply to `subject` marked. Returns 0, or 2 if there is no such case.
int show_command(const Catalog& catalog, const Expectations& expectations, const Subject& subject,
                 const std::string& id, std::ostream& out, std::ostream& err);

struct DoctorOptions {
  std::filesystem::path cases = {}, expected = {}, recorded = {}, torch = {};
};

/// Prints what is there and, for what is not, what to do. Returns 0 if a run could start, else 2.
int doctor_command(SubprocessSet& set, const DoctorOptions& options, std::ostream& out);

}  // namespace cudasem
