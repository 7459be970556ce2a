#include "base/stop_time.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

using namespace std::chrono_literals;

TEST(StopTimeTest, TheEarliestTimeCounts) {
  StopTime stop;
  EXPECT_FALSE(stop.has_come());
  stop.stop_by(StopTime::Clock::now() + 1h);
  EXPECT_FALSE(stop.has_come());
  stop.stop_by(StopTime::Clock::now());
  stop.stop_by(StopTime::Clock::now() + 1h);
  EXPECT_TRUE(stop.has_come());
}

TEST(StopTimeTest, NobodySleepsPastIt) {
  StopTime stop;
  stop.stop_by(StopTime::Clock::now() + 20ms);
  const auto start = StopTime::Clock::now();
  stop.sleep(1h);
  EXPECT_LT(StopTime::Clock::now() - start, 1min);
  EXPECT_TRUE(stop.has_come());
}

}  // namespace
}  // namespace loci
