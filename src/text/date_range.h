// The days that a text speaks of: "8 May, 2023", "in July 2022", "last week". Pure functions; any thread may call them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loci {

// Days are counted from 1970-01-01.
struct DateRange {
  std::int64_t first_day = 0;
  std::int64_t last_day = 0;  // inclusive

  bool operator==(const DateRange&) const = default;
};

// The days named in the text, in their order. A day: 2023-05-08, 2023/05/08, 8 May 2023, May 8th, 2023; a month: July
// 2022; a year: "in 2022". Relative to `today`, where it is given: today, yesterday, "3 weeks ago", "last month", "this
// year", "last Friday". Years from 1900 to 2099; English names of months and days.
std::vector<DateRange> dates_in(std::string_view text, std::optional<std::int64_t> today = std::nullopt);

// The day that an ISO 8601 text such as "2023-05-08" or "2023-05-08T13:56:00Z" begins with.
std::optional<std::int64_t> day_of(std::string_view iso);

// "2023-05-08".
std::string to_date(std::int64_t day);

// From "1:56 pm on 8 May, 2023" or "2023/05/20 (Sat) 02:21" to "2023-05-08T13:56:00Z"; without a time of day only the
// date. Nothing when the text names no day.
std::optional<std::string> written_time(std::string_view text);

}  // namespace loci
