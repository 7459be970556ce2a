// When, as people say it: "2026-03-09", "2026-03", "yesterday", "7d".
#pragma once

#include <cstdint>
#include <string_view>

#include "loci/result.h"

namespace loci {

struct TimeSpan {
  std::int64_t start_unix_ms = 0;
  std::int64_t end_unix_ms = 0;  // the first moment after it

  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

// A year, a month or a day ("2026", "2026-03", "2026-03-09", today, yesterday), whole and in UTC; a moment with a time
// ("2026-03-09T12:30", as from_iso8601 reads it), one millisecond long; or so long ago: "3h" is the hour that began
// three hours ago, "7d" and "2w" the day that many days or weeks ago. Errors: invalid_argument.
Result<TimeSpan> parse_time_span(std::string_view text, std::int64_t now_unix_ms);

}  // namespace loci
