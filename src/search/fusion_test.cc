#include "search/fusion.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(FusionTest, AFullMatchByWordsBeatsANearMeaning) {
  const auto best = best_of({{.id = "near", .similarity = 0.6, .words = 0.05}, {.id = "exact", .words = 0.8}}, 10);
  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best[0].id, "exact");
}

TEST(FusionTest, CommonWordsDoNotBeatANearMeaning) {
  const auto best = best_of({{.id = "common", .similarity = 0.1, .words = 0.1}, {.id = "near", .similarity = 0.5}}, 10);
  EXPECT_EQ(best[0].id, "near");
}

TEST(FusionTest, EqualScoresAreOrderedByIdAndTheRestIsCut) {
  const auto best = best_of({{.id = "b", .similarity = 0.5}, {.id = "a", .similarity = 0.5}, {.id = "c"}}, 2);
  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best[0].id, "a");
  EXPECT_EQ(best[1].id, "b");
}

TEST(FusionTest, SimilarityFollowsTheMetric) {
  EXPECT_DOUBLE_EQ(similarity_of(DistanceMetric::cosine, 0.25), 0.75);
  EXPECT_DOUBLE_EQ(similarity_of(DistanceMetric::ip, 0.25), 0.75);
  EXPECT_DOUBLE_EQ(similarity_of(DistanceMetric::l2, 0.5), 0.75);
}

}  // namespace
}  // namespace loci
