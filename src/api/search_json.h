// A search's answer as JSON: what all faces show.
#pragma once

#include <cstddef>
#include <vector>

#include "api/caller.h"
#include "api/json.h"
#include "search/budget.h"
#include "search/hybrid_search.h"
#include "search/neighbours.h"
#include "search/timed_search.h"

namespace loci {

// One hit: the drawer word for word, where it stands, how it was found. A plain one has no "metadata" and no
// "highlights".
Json hit_to_json(const SearchHit& hit, DrawerParts parts = DrawerParts::all);

// The hits with the drawers around them, whole and best first, as many as fit into `most`; of the others
// `left_out` says which and how large. `around` is empty or has one entry for each hit.
struct HitsWithinBudget {
  Json hits = Json::array();
  Json left_out = Json::array();
};
HitsWithinBudget hits_to_json(const std::vector<SearchHit>& hits, const std::vector<Neighbours>& around, TextSize most,
                              DrawerParts parts = DrawerParts::all);

// How the question was read and where the time went.
Json explanation_to_json(const SearchAnswer& answer, const SearchTimes& times);

}  // namespace loci
