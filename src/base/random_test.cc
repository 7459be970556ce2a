#include "base/random.h"

#include <set>

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(RandomTest, TheTextHasTwoDigitsPerByte) {
  EXPECT_EQ(random_hex(0), "");
  EXPECT_EQ(random_hex(16).size(), 32U);
  EXPECT_EQ(random_hex(1000).find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(RandomTest, NoValueComesTwice) {
  std::set<std::string> seen;
  for (int round = 0; round < 1000; ++round) EXPECT_TRUE(seen.insert(random_hex(16)).second);
}

}  // namespace
}  // namespace loci
