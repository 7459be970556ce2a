#include "text/term_matcher.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(TermMatcherTest, FindsWhereEachTermStands) {
  const std::vector<std::string> terms = {"garden", "green hous"};
  TermMatcher matcher(terms);
  const auto found = matcher.find("Gardens have green houses, a garden too");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].term, 0U);
  EXPECT_EQ(found[1].term, 1U);
  EXPECT_EQ(found[2].term, 0U);
}

TEST(TermMatcherTest, CountsTheWordsOfTheLastDocument) {
  const std::vector<std::string> terms = {"garden"};
  TermMatcher matcher(terms);
  matcher.find("one garden and another");
  EXPECT_EQ(matcher.word_count(), 4U);
  matcher.find("a garden");
  EXPECT_EQ(matcher.word_count(), 2U);
}

TEST(TermMatcherTest, NoTermGoesOnFromOneDocumentIntoTheNext) {
  const std::vector<std::string> terms = {"green hous"};
  TermMatcher matcher(terms);
  EXPECT_TRUE(matcher.find("green").empty());
  EXPECT_TRUE(matcher.find("house").empty());
  EXPECT_EQ(matcher.find("green house").size(), 1U);
}

}  // namespace
}  // namespace loci
