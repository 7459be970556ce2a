#include "ops/exact_neighbours.h"

#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

class ExactNeighboursTest : public testing::Test {
 protected:
  VectorFile file(const std::string& name, const std::vector<float>& values) {
    const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    EXPECT_TRUE(write_file_atomically(folder_.path() / name, bytes).ok());
    return VectorFile::open(folder_.path() / name, 1).value();
  }

  TemporaryFolder folder_;
  const VectorFile base_ = file("base", {1, 2, 3, 3, 5, 9});
  const VectorFile queries_ = file("queries", {1, 4});
};

TEST_F(ExactNeighboursTest, RecallCountsWhatIsAsNearAsTheTrueOnes) {
  const ExactNeighbours exact(base_, queries_, DistanceMetric::l2, 2, [](std::size_t) { return true; });
  EXPECT_EQ(exact.recall({{0, 1}, {2, 3}}), 1);
  EXPECT_EQ(exact.recall({{0, 1}, {3, 4}}), 1) << "5 is as near to 4 as 3 is";
  EXPECT_EQ(exact.recall({{0, 5}, {2, 3}}), 0.75);
  EXPECT_EQ(exact.recall({{0, 0}, {2, 2}}), 0.5) << "a row that comes twice counts once";
  EXPECT_EQ(exact.recall({{}, {77, 78}}), 0);
}

TEST_F(ExactNeighboursTest, OnlyRowsThatTakePartCount) {
  const ExactNeighbours exact(base_, queries_, DistanceMetric::l2, 2, [](std::size_t row) { return row >= 4; });
  EXPECT_EQ(exact.recall({{4, 5}, {4, 5}}), 1);
  EXPECT_EQ(exact.recall({{0, 4}, {3, 4}}), 0.5);
}

TEST_F(ExactNeighboursTest, WithFewRowsFewAreEnough) {
  const ExactNeighbours exact(base_, queries_, DistanceMetric::l2, 10, [](std::size_t row) { return row == 3; });
  EXPECT_EQ(exact.recall({{3}, {3}}), 1);
}

}  // namespace
}  // namespace loci
