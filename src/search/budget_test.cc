#include "search/budget.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(BudgetTest, TakesWholeTextsWhileTheyFit) {
  Budget budget({.characters = 10});
  EXPECT_TRUE(budget.take("seven c"));
  EXPECT_FALSE(budget.take("four"));
  EXPECT_EQ(budget.left().characters, 3U) << "what does not fit takes nothing";
  EXPECT_TRUE(budget.take("two"));
  EXPECT_FALSE(budget.take("x"));
  EXPECT_TRUE(budget.take(""));
}

TEST(BudgetTest, CountsCharactersAndNotBytes) { EXPECT_TRUE(Budget({.characters = 3}).take("東京都")); }

TEST(BudgetTest, TokensAreEstimatedFromBytes) {
  EXPECT_EQ(estimate_tokens(""), 0U);
  EXPECT_EQ(estimate_tokens("four"), 1U);
  EXPECT_EQ(estimate_tokens("fours"), 2U);
  Budget budget({.characters = 100, .tokens = 2});
  EXPECT_FALSE(budget.take("nine char"));
  EXPECT_TRUE(budget.take("six ch"));
}

}  // namespace
}  // namespace loci
