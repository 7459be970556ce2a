#include "search/understand_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loci {
namespace {

using testing::IsEmpty;

TEST(UnderstandQueryTest, DatesAreFoundInTheQuestion) {
  ASSERT_EQ(understand_query("What did we decide on 8 May 2023?", std::nullopt).dates.size(), 1U);
  EXPECT_THAT(understand_query("What did we decide yesterday?", std::nullopt).dates, IsEmpty());
  EXPECT_EQ(understand_query("What did we decide yesterday?", 100).dates, (std::vector<DateRange>{{99, 99}}));
}

TEST(UnderstandQueryTest, NearnessFallsOffFasterBeforeThanAfter) {
  const std::vector<DateRange> dates = {{100, 110}};
  EXPECT_DOUBLE_EQ(nearness(dates, 105), 1);
  EXPECT_GT(nearness(dates, 115), nearness(dates, 95));
  EXPECT_GT(nearness(dates, 115), nearness(dates, 130));
  EXPECT_LT(nearness(dates, 400), 1e-6);
  EXPECT_DOUBLE_EQ(nearness({}, 5), 0);
}

}  // namespace
}  // namespace loci
