#include "ops/eval_metrics.h"

#include <cmath>

#include <gtest/gtest.h>

namespace loci {
namespace {

EvalRow row(std::vector<std::string> ranked, std::vector<std::string> gold) {
  return {.conversation = "c", .question = "1", .category = "x", .ranked = std::move(ranked), .gold = std::move(gold)};
}

TEST(EvalMetricsTest, CountsTheShareOfGoldAnyOfItAndAllOfIt) {
  const EvalMetrics metrics = metrics_of(row({"a", "b", "c", "d", "e", "f"}, {"b", "f", "z"}));
  EXPECT_DOUBLE_EQ(metrics.recall_at_1, 0);
  EXPECT_DOUBLE_EQ(metrics.fractional_recall_at_5, 1.0 / 3);
  EXPECT_DOUBLE_EQ(metrics.fractional_recall_at_10, 2.0 / 3);
  EXPECT_DOUBLE_EQ(metrics.any_hit_at_5, 1);
  EXPECT_DOUBLE_EQ(metrics.all_hit_at_10, 0);
  EXPECT_DOUBLE_EQ(metrics.mrr, 0.5);
}

TEST(EvalMetricsTest, NdcgKnowsRanksAndGains) {
  EXPECT_DOUBLE_EQ(metrics_of(row({"a", "b"}, {"a", "b"})).ndcg_at_10, 1);
  EXPECT_DOUBLE_EQ(metrics_of(row({"x", "a"}, {"a"})).ndcg_at_10, 1 / std::log2(3));
  EvalRow graded = row({"little", "much"}, {"little", "much"});
  graded.gains = {{"little", 1}, {"much", 3}};
  EXPECT_DOUBLE_EQ(metrics_of(graded).ndcg_at_10, (1 + 3 / std::log2(3)) / (3 + 1 / std::log2(3)));
}

TEST(EvalMetricsTest, AQuestionWithoutGoldCountsOneAndIsAlsoLeftOut) {
  const EvalSummary summary = summarize({row({"a"}, {}), row({"a"}, {"b"})});
  EXPECT_EQ(summary.questions, 2U);
  EXPECT_EQ(summary.without_gold, 1U);
  EXPECT_DOUBLE_EQ(summary.mean.any_hit_at_10, 0.5);
  EXPECT_DOUBLE_EQ(summary.mean_with_gold.any_hit_at_10, 0);
}

TEST(EvalMetricsTest, TheIntervalHoldsTheMeanAndIsTheSameTwice) {
  std::vector<EvalRow> rows;
  for (int i = 0; i < 100; ++i) rows.push_back(row({"a"}, {i % 4 == 0 ? "b" : "a"}));
  const EvalSummary once = summarize(rows);
  EXPECT_DOUBLE_EQ(once.mean.mrr, 0.75);
  EXPECT_LT(once.low.mrr, 0.75);
  EXPECT_GT(once.low.mrr, 0.6);
  EXPECT_GT(once.high.mrr, 0.75);
  EXPECT_LT(once.high.mrr, 0.9);
  EXPECT_DOUBLE_EQ(summarize(rows).low.mrr, once.low.mrr);
}

TEST(EvalMetricsTest, OnlyWhatWasAskedForDeepEnoughIsNamed) {
  const EvalMetrics metrics = metrics_of(row({"a"}, {"a"}));
  const auto has_100 = [&](std::size_t depth) {
    for (const auto& [name, value] : named(metrics, depth)) {
      if (name == "recall_at_100") return true;
    }
    return false;
  };
  EXPECT_FALSE(has_100(10));
  EXPECT_TRUE(has_100(100));
}

TEST(EvalMetricsTest, WhatHasNoAnswerIsLeftOutOfTheAnswerableWhateverItsGold) {
  EvalRow without_answer = row({"a"}, {"b"});
  without_answer.is_answerable = false;
  const EvalSummary summary = summarize_answerable({row({"a"}, {"a"}), without_answer});
  EXPECT_EQ(summary.questions, 1U);
  EXPECT_DOUBLE_EQ(summary.mean.all_hit_at_5, 1);
}

TEST(EvalMetricsTest, CategoriesAreCountedApart) {
  EvalRow other = row({"a"}, {"a"});
  other.category = "y";
  const auto by_category = summarize_by_category({row({"a"}, {"b"}), other});
  ASSERT_EQ(by_category.size(), 2U);
  EXPECT_DOUBLE_EQ(by_category.at("x").mean.mrr, 0);
  EXPECT_DOUBLE_EQ(by_category.at("y").mean.mrr, 1);
}

}  // namespace
}  // namespace loci
