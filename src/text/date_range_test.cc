#include "text/date_range.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> written(std::string_view text, std::optional<std::int64_t> today = {}) {
  std::vector<std::string> ranges;
  for (const DateRange& range : dates_in(text, today)) {
    ranges.push_back(to_date(range.first_day) +
                     (range.first_day == range.last_day ? "" : ".." + to_date(range.last_day)));
  }
  return ranges;
}

TEST(DateRangeTest, ADayIsFoundHoweverItIsWritten) {
  for (const std::string_view text : {"on 2023-05-08?", "2023/05/08 (Mon) 02:21", "1:56 pm on 8 May, 2023",
                                      "as of May 8th, 2023", "8th may 2023", "May 8 2023"})
    EXPECT_THAT(written(text), ElementsAre("2023-05-08")) << text;
}

TEST(DateRangeTest, AMonthOrAYearIsARangeOfDays) {
  EXPECT_THAT(written("What happened in February 2024?"), ElementsAre("2024-02-01..2024-02-29"));
  EXPECT_THAT(written("in 2022"), ElementsAre("2022-01-01..2022-12-31"));
}

TEST(DateRangeTest, NumbersAndWordsThatAreNoDatesStayOut) {
  EXPECT_THAT(written("error 2022 in line 12 may be 31 of 8"), IsEmpty());
  EXPECT_THAT(written("version 1.2.2024"), IsEmpty());
  EXPECT_THAT(written("yesterday, last week, 3 days ago"), IsEmpty()) << "without a day that is today";
}

TEST(DateRangeTest, RelativeTimesCountFromToday) {
  const std::int64_t today = *day_of("2026-03-11");  // a Wednesday
  EXPECT_THAT(written("today or yesterday", today), ElementsAre("2026-03-11", "2026-03-10"));
  EXPECT_THAT(written("last week", today), ElementsAre("2026-03-02..2026-03-08"));
  EXPECT_THAT(written("this month", today), ElementsAre("2026-03-01..2026-03-31"));
  EXPECT_THAT(written("last year", today), ElementsAre("2025-01-01..2025-12-31"));
  EXPECT_THAT(written("last Friday", today), ElementsAre("2026-03-06"));
  EXPECT_THAT(written("last Wednesday", today), ElementsAre("2026-03-04"));
  EXPECT_THAT(written("3 weeks ago", today), ElementsAre("2026-02-15..2026-02-21"));
  EXPECT_THAT(written("a day ago", today), ElementsAre("2026-03-10"));
}

TEST(DateRangeTest, TheTimeOfATranscriptBecomesIso8601) {
  EXPECT_EQ(written_time("1:56 pm on 8 May, 2023"), "2023-05-08T13:56:00Z");
  EXPECT_EQ(written_time("12:05 am on 20 January, 2023"), "2023-01-20T00:05:00Z");
  EXPECT_EQ(written_time("2023/05/20 (Sat) 02:21"), "2023-05-20T02:21:00Z");
  EXPECT_EQ(written_time("8 May, 2023"), "2023-05-08");
  EXPECT_EQ(written_time("some day in May"), std::nullopt);
}

TEST(DateRangeTest, ADayOfAnIsoTextIsItsFirstPart) {
  EXPECT_EQ(day_of("1970-01-02T03:04:05Z"), 1);
  EXPECT_EQ(day_of("2023"), std::nullopt);
  EXPECT_EQ(day_of(""), std::nullopt);
}

}  // namespace
}  // namespace loci
