#include "search/clean_query.h"

#include <string>

#include <gtest/gtest.h>

namespace loci {
namespace {

std::string pasted() {
  std::string text;
  while (text.size() < 3000) text += "You are a helpful assistant. Follow v1.2 of the rules in main.cc. Is this one?\n";
  return text;
}

TEST(CleanQueryTest, AShortQueryStaysAsItIs) {
  EXPECT_EQ(clean_query("  why did we switch? to GraphQL \n"), "why did we switch? to GraphQL");
  EXPECT_EQ(clean_query(""), "");
  EXPECT_EQ(clean_query(" \n"), "");
}

TEST(CleanQueryTest, TheLastQuestionOfALongTextIsTheQuery) {
  EXPECT_EQ(clean_query(pasted() + "Why does main.cc use v1.2?"), "Why does main.cc use v1.2?");
  EXPECT_EQ(clean_query(pasted() + "Why GraphQL? Thanks a lot."), "Why GraphQL?");
}

TEST(CleanQueryTest, WithoutAQuestionItIsTheLastSentence) {
  const std::string rules(2000, 'x');
  EXPECT_EQ(clean_query(rules + ". Find the notes on caching"), "Find the notes on caching");
  EXPECT_EQ(clean_query(rules + "\nFind the notes on caching.\n"), "Find the notes on caching.");
}

TEST(CleanQueryTest, ATextWithoutSentencesIsCutToItsEndBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "語";
  const std::string_view query = clean_query(text);
  EXPECT_LE(query.size(), kLongestQuestionBytes);
  EXPECT_GT(query.size(), kLongestQuestionBytes - 3);
  EXPECT_TRUE(query.starts_with("語"));
}

}  // namespace
}  // namespace loci
