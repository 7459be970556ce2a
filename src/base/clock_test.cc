#include "base/clock.h"

#include <cstdint>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(ClockTest, WritesMillisecondsInUtc) {
  EXPECT_EQ(to_iso8601(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_iso8601(1'769'862'896'789), "2026-01-31T12:34:56.789Z");
}

TEST(ClockTest, WritesTimesBefore1970) { EXPECT_EQ(to_iso8601(-1), "1969-12-31T23:59:59.999Z"); }

TEST(ClockTest, ClampsYearsThatHaveNotFourDigits) {
  EXPECT_EQ(to_iso8601(std::numeric_limits<std::int64_t>::max()), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(to_iso8601(std::numeric_limits<std::int64_t>::min()), "0000-01-01T00:00:00.000Z");
}

TEST(ClockTest, ReadsWhatItWrites) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> times(-62'167'219'200'000, 253'402'300'799'999);
  for (int round = 0; round < 5000; ++round) {
    const std::int64_t time = times(random);
    ASSERT_EQ(from_iso8601(to_iso8601(time)), time) << to_iso8601(time);
  }
}

TEST(ClockTest, ReadsTheCommonRelatives) {
  EXPECT_EQ(from_iso8601("1970-01-02"), 86'400'000);
  EXPECT_EQ(from_iso8601("1970-01-01 00:01"), 60'000);
  EXPECT_EQ(from_iso8601("1970-01-01t00:00:01z"), 1000);
  EXPECT_EQ(from_iso8601("1970-01-01T00:00:00.5Z"), 500);
  EXPECT_EQ(from_iso8601("1970-01-01T00:00:00.123456789Z"), 123);
  EXPECT_EQ(from_iso8601("1970-01-01T02:00:00+02:00"), 0);
  EXPECT_EQ(from_iso8601("1970-01-01T02:00:00+0200"), 0);
  EXPECT_EQ(from_iso8601("1969-12-31T20:00:00-04"), 0);
}

TEST(ClockTest, KnowsLeapYears) {
  EXPECT_TRUE(from_iso8601("2024-02-29").has_value());
  EXPECT_TRUE(from_iso8601("2000-02-29").has_value());
  EXPECT_FALSE(from_iso8601("2023-02-29").has_value());
  EXPECT_FALSE(from_iso8601("1900-02-29").has_value());
}

TEST(ClockTest, RefusesOtherText) {
  for (const char* text : {"", "yesterday", "2026", "2026-1-31", "2026-13-01", "2026-00-10", "2026-01-32",
                           "2026-01-31T", "2026-01-31T24:00", "2026-01-31T12:60", "2026-01-31T12:34:61",
                           "2026-01-31T12:34:56.", "2026-01-31T12:34:56X", "2026-01-31T12:34:56Z ", " 2026-01-31",
                           "2026-01-31T12:34:56+2", "2026-01-31T12:34:56+02:60", "2026-01-31T12:34:56.0123456789Z"}) {
    EXPECT_FALSE(from_iso8601(text).has_value()) << text;
  }
}

TEST(ClockTest, NowIsAfterThisWasWritten) { EXPECT_GT(now_unix_ms(), 1'700'000'000'000); }

}  // namespace
}  // namespace loci
