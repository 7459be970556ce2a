#include "search/pooling.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

Candidate drawer(std::string id, std::string source, double similarity, double words = 0) {
  return {.id = std::move(id), .similarity = similarity, .words = words, .source = std::move(source)};
}

double score_of(const std::vector<Candidate>& pooled, std::string_view source) {
  for (const Candidate& candidate : pooled) {
    if (candidate.source == source) return candidate.score();
  }
  return -1;
}

TEST(PoolingTest, EachSourceComesOnceByItsBestDrawer) {
  const auto best = ranked_by_score(
      pool_by_source({drawer("a1", "a", 0.5), drawer("a2", "a", 0.7), drawer("b1", "b", 0.6)}, Pooling::of_all));
  ASSERT_EQ(best.size(), 2U);
  EXPECT_EQ(best[0].id, "a2");
  EXPECT_EQ(best[1].id, "b1");
}

TEST(PoolingTest, SeveralGoodDrawersCountForMoreThanOne) {
  const std::vector<Candidate> drawers = {drawer("a1", "a", 0.605), drawer("a2", "a", 0.60), drawer("b1", "b", 0.61)};
  const auto soft = pool_by_source(drawers, Pooling::of_all);
  EXPECT_GT(score_of(soft, "a"), score_of(soft, "b"));
  const auto hard = pool_by_source(drawers, Pooling::best_drawer);
  EXPECT_LT(score_of(hard, "a"), score_of(hard, "b"));
}

TEST(PoolingTest, AMeaningThatIsHardlyReadCountsForLittle) {
  Candidate near = drawer("a1", "a", 0.9);
  Candidate words = drawer("b1", "b", 0.4, 0.2);
  near.trust = words.trust = trust_in_meaning(0.2);
  EXPECT_EQ(ranked_by_score(pool_by_source({near, words}, Pooling::of_all)).front().source, "b");
}

TEST(PoolingTest, PoorDrawersAddNothingToAGoodOne) {
  std::vector<Candidate> drawers = {drawer("b1", "b", 0.61), drawer("a0", "a", 0.60)};
  for (int i = 1; i < 50; ++i) drawers.push_back(drawer("a" + std::to_string(i), "a", 0.1));
  const auto pooled = pool_by_source(drawers, Pooling::of_all);
  EXPECT_LT(score_of(pooled, "a"), score_of(pooled, "b"));
}

TEST(PoolingTest, WordsAndMeaningMayComeFromDifferentDrawers) {
  const std::vector<Candidate> drawers = {drawer("a1", "a", 0.6), drawer("a2", "a", 0.1, 0.5),
                                          drawer("b1", "b", 0.1, 0.5)};
  const auto pooled = pool_by_source(drawers, Pooling::of_all);
  EXPECT_GT(score_of(pooled, "a"), score_of(pooled, "b"));
}

TEST(PoolingTest, WordsAndMeaningInOneDrawerCountForMoreThanApart) {
  const std::vector<Candidate> drawers = {drawer("a1", "a", 0.6), drawer("a2", "a", 0.1, 0.3),
                                          drawer("b1", "b", 0.6, 0.3)};
  const auto pooled = pool_by_source(drawers, Pooling::of_all);
  EXPECT_LT(score_of(pooled, "a"), score_of(pooled, "b"));
}

TEST(PoolingTest, TheWordsOfTheWholeSourceAreAdded) {
  std::vector<Candidate> drawers = {drawer("a1", "a", 0.60), drawer("b1", "b", 0.61)};
  drawers[0].source_words = 0.5;
  EXPECT_GT(score_of(pool_by_source(drawers, Pooling::of_all), "a"), 0.61);
  EXPECT_GT(score_of(pool_by_source(drawers, Pooling::best_drawer), "a"), 0.61);
}

TEST(PoolingTest, DrawersWithoutASourceStandForThemselves) {
  EXPECT_EQ(pool_by_source({drawer("x", "", 0.5), drawer("y", "", 0.4)}, Pooling::of_all).size(), 2U);
}

}  // namespace
}  // namespace loci
