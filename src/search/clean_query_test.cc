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

TEST(CleanQueryTest, ARealQuestionOfSeveralSentencesStaysWhole) {
  std::string question = "We talked about the storage of the shop. ";
  while (question.size() < 900) question += "One of us wanted a log of changes, the other a table per day. ";
  question += "Which one did we pick?";
  EXPECT_EQ(clean_query(question), question);
}

TEST(CleanQueryTest, ThanksAndRequestsThatSayNothingAreNoQuestion) {
  EXPECT_EQ(clean_query(pasted() + "Why does main.cc use the old rules? Could you find that for me, please?"),
            "Why does main.cc use the old rules?");
  EXPECT_EQ(clean_query(pasted() + "Find the notes on the cache of rules. Thanks a lot in advance."),
            "Find the notes on the cache of rules.");
}

TEST(CleanQueryTest, AQuestionThatSaysLittleComesWithWhatStandsBeforeIt) {
  EXPECT_EQ(clean_query(pasted() + "In May we met the painter in Lisbon. Who was there?"),
            "In May we met the painter in Lisbon. Who was there?");
}

TEST(CleanQueryTest, OtherScriptsEndTheirSentences) {
  EXPECT_EQ(clean_query(pasted() + "我们讨论过缓存。为什么要改用数据库索引呢？"), "为什么要改用数据库索引呢？");
  EXPECT_EQ(clean_query(pasted() + "تحدثنا عن الخادم؟ متى انتقلنا إلى قاعدة بيانات جديدة؟"),
            "متى انتقلنا إلى قاعدة بيانات جديدة؟");
}

TEST(CleanQueryTest, AQuestionBehindSomethingElseOnItsLineBeginsAtItsQuestionWord) {
  std::string log = "[";
  while (log.size() < 3000) log += R"({"level":"error","path":"/v1/items"},)";
  EXPECT_EQ(clean_query(log + "}] Why did the upload fail?"), "Why did the upload fail?");
  EXPECT_EQ(clean_query(log + "}] why did the upload fail"), "why did the upload fail");
  EXPECT_EQ(clean_query(pasted() + "and then the mayor went to Where did Nina learn to sail?"),
            "Where did Nina learn to sail?");
}

TEST(CleanQueryTest, ATextWithoutSentencesIsCutToItsEndBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "語";
  const std::string_view query = clean_query(text);
  EXPECT_LE(query.size(), 400U);
  EXPECT_GT(query.size(), 397U);
  EXPECT_TRUE(query.starts_with("語"));
}

}  // namespace
}  // namespace loci
