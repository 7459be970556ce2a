#include "palace/time_span.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace loci {
namespace {

constexpr std::string_view kThisMoment = "2026-03-09T15:30:00.000Z";

std::string span(std::string_view text) {
  const Result<TimeSpan> parsed = parse_time_span(text, *from_iso8601(kThisMoment));
  if (!parsed.ok()) return "error";
  return to_iso8601(parsed->start_unix_ms) + " " + to_iso8601(parsed->end_unix_ms);
}

TEST(TimeSpanTest, DaysMonthsAndYearsAreWhole) {
  EXPECT_EQ(span("2026-03-09"), "2026-03-09T00:00:00.000Z 2026-03-10T00:00:00.000Z");
  EXPECT_EQ(span("2026-12"), "2026-12-01T00:00:00.000Z 2027-01-01T00:00:00.000Z");
  EXPECT_EQ(span("2024-02"), "2024-02-01T00:00:00.000Z 2024-03-01T00:00:00.000Z");
  EXPECT_EQ(span("2025"), "2025-01-01T00:00:00.000Z 2026-01-01T00:00:00.000Z");
  EXPECT_EQ(span("1969-12-31"), "1969-12-31T00:00:00.000Z 1970-01-01T00:00:00.000Z");
}

TEST(TimeSpanTest, RelativeTimesCountBackFromNow) {
  EXPECT_EQ(span("today"), "2026-03-09T00:00:00.000Z 2026-03-10T00:00:00.000Z");
  EXPECT_EQ(span("yesterday"), "2026-03-08T00:00:00.000Z 2026-03-09T00:00:00.000Z");
  EXPECT_EQ(span("7d"), "2026-03-02T00:00:00.000Z 2026-03-03T00:00:00.000Z");
  EXPECT_EQ(span("2w"), "2026-02-23T00:00:00.000Z 2026-02-24T00:00:00.000Z");
  EXPECT_EQ(span("3h"), "2026-03-09T12:30:00.000Z 2026-03-09T13:30:00.000Z");
}

TEST(TimeSpanTest, AMomentIsItself) {
  EXPECT_EQ(span("2026-03-09T12:30"), "2026-03-09T12:30:00.000Z 2026-03-09T12:30:00.001Z");
  EXPECT_EQ(span("2026-03-09T12:30:00+02:00"), "2026-03-09T10:30:00.000Z 2026-03-09T10:30:00.001Z");
}

TEST(TimeSpanTest, WhatIsNoTimeIsRefused) {
  for (const char* text : {"", "soon", "d", "-3d", "3x", "2026-13", "2026-02-30", "03/09/2026", "99999999999999999999d",
                           "9999", "20260309"}) {
    EXPECT_EQ(span(text), "error") << text;
  }
}

}  // namespace
}  // namespace loci
