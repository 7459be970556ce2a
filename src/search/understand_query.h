// What a question says beside its words: the days it is about, and the terms that must stand there as they are. Pure
// functions; any thread may call them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/places.h"
#include "text/date_range.h"

namespace loci {

struct QueryFacts {
  std::vector<DateRange> dates;
  std::vector<std::string> exact_terms;
  std::vector<std::string> speakers = {};  // names of those who speak in the drawers at hand (speakers.h)
  NamedPlaces places = {};                 // wings and rooms of the palace
};

QueryFacts understand_query(std::string_view question, std::optional<std::int64_t> today);

// How near a day is to the days of the question, from 0 to 1; 1 is on one of them.
double nearness(const std::vector<DateRange>& dates, std::int64_t day);

}  // namespace loci
