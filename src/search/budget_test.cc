#include "search/budget.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(BudgetTest, TakesWholeTextsWhileTheyFit) {
  Budget budget(10);
  EXPECT_TRUE(budget.take("seven c"));
  EXPECT_FALSE(budget.take("four"));
  EXPECT_EQ(budget.left(), 3U) << "what does not fit takes nothing";
  EXPECT_TRUE(budget.take("two"));
  EXPECT_FALSE(budget.take("x"));
  EXPECT_TRUE(budget.take(""));
}

TEST(BudgetTest, CountsCharactersAndNotBytes) { EXPECT_TRUE(Budget(3).take("東京都")); }

}  // namespace
}  // namespace loci
