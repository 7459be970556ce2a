#include "vector/short_list.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(ShortListTest, KeepsTheLeastValues) {
  std::mt19937 random(1);
  std::vector<float> values(5000);
  for (float& value : values) value = static_cast<float>(random() % 1'000'000);
  ShortList list(20);
  for (std::size_t i = 0; i < values.size(); ++i) list.offer(values[i], static_cast<std::uint32_t>(i));
  std::vector<float> kept;
  for (const ShortList::Item& item : std::move(list).take()) {
    EXPECT_EQ(values[item.slot], item.value);
    kept.push_back(item.value);
  }
  std::sort(kept.begin(), kept.end());
  std::sort(values.begin(), values.end());
  EXPECT_EQ(kept, std::vector<float>(values.begin(), values.begin() + 20));
}

TEST(ShortListTest, KeepsAllThatAreEqualToTheLast) {
  ShortList list(3);
  for (std::uint32_t i = 0; i < 1000; ++i) list.offer(i < 2 ? 1.0F : 2.0F, i);
  EXPECT_EQ(std::move(list).take().size(), 1000U);
}

TEST(ShortListTest, LeavesOutWhatIsNotANumber) {
  ShortList list(3);
  list.offer(std::nanf(""), 1);
  list.offer(1, 2);
  EXPECT_EQ(std::move(list).take().size(), 1U);
}

}  // namespace
}  // namespace loci
