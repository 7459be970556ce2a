#include "search/fusion.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(FusionTest, AFullMatchByWordsBeatsANearMeaning) {
  const auto best = ranked_by_score({{.id = "near", .similarity = 0.6, .words = 0.05}, {.id = "exact", .words = 0.8}});
  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best[0].id, "exact");
}

TEST(FusionTest, CommonWordsDoNotBeatANearMeaning) {
  const auto best =
      ranked_by_score({{.id = "common", .similarity = 0.1, .words = 0.1}, {.id = "near", .similarity = 0.5}});
  EXPECT_EQ(best[0].id, "near");
}

TEST(FusionTest, AMeaningThatIsHardlyReadDoesNotBeatWords) {
  const double trust = trust_in_meaning(0.2);
  const auto best = ranked_by_score({{.id = "near", .similarity = 0.9, .trust = trust, .words = 0.05},
                                     {.id = "words", .similarity = 0.4, .trust = trust, .words = 0.2}});
  EXPECT_EQ(best[0].id, "words");
  EXPECT_EQ(trust_in_meaning(1), 1);
}

TEST(FusionTest, EqualScoresAreOrderedById) {
  const auto best = ranked_by_score({{.id = "b", .similarity = 0.5}, {.id = "a", .similarity = 0.5}, {.id = "c"}});
  ASSERT_EQ(best.size(), 3U);
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
