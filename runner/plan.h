// Which of the catalog's cases this run is about, in which order, and which of them cannot run here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "catalog.h"
#include "machine.h"

namespace cudasem {

/// Filters; each holds if it is empty. Values of one filter are alternatives, filters all have to hold.
struct Selection {
  std::vector<std::string> globs = {};  ///< on the id; a glob of the case's name selects all of its ways
  std::vector<std::string> areas = {}, kinds = {}, claims = {};
  std::string way = {};       ///< "wrong" or "right"
  int shard = 1, shards = 1;  ///< the `shard`th of `shards` parts, ways of a case together

  bool selects(const CatalogCase& c, const std::string& id) const;
  /// Whether an area that has no cases because it did not compile is asked for: always, where nobody can know
  /// what its cases would have been, but for one shard only.
  bool selects_area(const std::string& area) const;
  /// Whether nothing of the catalog is left out, but for what other shards are for.
  bool selects_all(const Catalog& catalog) const;
  /// The ids and areas that were asked for and that nothing in the catalog answers to.
  std::vector<std::string> unmatched(const Catalog& catalog) const;
};

/// What the cases' needs are held against.
struct Offer {
  int gpus = 0;
  std::string no_gpu_why = {};
  std::string caching_off_by = {};  ///< what turns the caching allocator off; empty if it is on
};

struct PlanItem {
  const CatalogCase* found = nullptr;  ///< owned by the catalog
  std::string id = {};
  std::string way = {};          ///< empty for kinds other than misuse
  std::string unsupported = {};  ///< why it cannot run here; empty if it can
};

/// Cases in the order of the catalog, those that run alone (`exclusive`) after all others. `times`: recorded
/// milliseconds by id; shards take about as long as each other by them.
std::vector<PlanItem> make_plan(const Catalog& catalog, const Selection& selection, const Offer& offer,
                                const std::map<std::string, double>& times = {});

/// Which of `shards` each gets, 1 on: the longest first, each to the shard with the least so far. The same
/// times give the same shards.
std::vector<int> balanced_shards(const std::vector<double>& times, int shards);

/// Orders `items`, indices into `plan`: those that run alone stay last; before them the longest come first by
/// recorded times, so that none is still waited for when all others are done. Those of one length stay in
/// order.
void longest_first(std::vector<size_t>& items, const std::vector<PlanItem>& plan,
                   const std::map<std::string, double>& times);

/// Why a case cannot run here; empty if it can.
std::string why_unsupported(const CaseInfo& info, const Offer& offer);

/// One line for all that cannot run here, with each reason once; empty if everything can.
std::string unsupported_banner(const std::vector<PlanItem>& plan);

/// "wrong" of "area.name/wrong"; empty if there is none.
std::string way_of(const std::string& id);

}  // namespace cudasem
