#include "search/understand_query.h"

#include <algorithm>
#include <cmath>

#include "search/exact_terms.h"
#include "search/weights.h"

namespace loci {
QueryFacts understand_query(std::string_view question, std::optional<std::int64_t> today) {
  return {.dates = dates_in(question, today), .exact_terms = exact_terms_in(question)};
}

double nearness(const std::vector<DateRange>& dates, std::int64_t day) {
  double nearest = 0;
  for (const DateRange& range : dates) {
    double away = 0;
    if (day < range.first_day) away = static_cast<double>(range.first_day - day) / kDaysBefore;
    if (day > range.last_day) away = static_cast<double>(day - range.last_day) / kDaysAfter;
    nearest = std::max(nearest, std::exp(-away));
  }
  return nearest;
}

}  // namespace loci
