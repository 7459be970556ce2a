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

std::string log_lines(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += "2026-03-09 12:00:" + std::to_string(10 + i) + " INFO worker " + std::to_string(1044 + i) +
            " GET /v1/items?page=2 done when idle\n";
  return text;
}

std::string asked(std::string_view text) {
  const CleanQuery clean = clean_query(text);
  EXPECT_TRUE(clean.asks) << clean.text;
  return std::string(clean.text);
}

TEST(CleanQueryTest, AShortQueryStaysAsItIs) {
  EXPECT_EQ(asked("  why did we switch? to GraphQL \n"), "why did we switch? to GraphQL");
  EXPECT_EQ(asked(""), "");
  EXPECT_EQ(asked(" \n"), "");
}

TEST(CleanQueryTest, TheLastQuestionOfALongTextIsTheQuery) {
  EXPECT_EQ(asked(pasted() + "Why does main.cc use v1.2?"), "Why does main.cc use v1.2?");
  EXPECT_EQ(asked(pasted() + "Why GraphQL? Thanks a lot."), "Why GraphQL?");
}

TEST(CleanQueryTest, WithoutAQuestionItIsTheLastSentence) {
  const std::string rules(2000, 'x');
  EXPECT_EQ(asked(rules + ". Find the notes on caching"), "Find the notes on caching");
  EXPECT_EQ(asked(rules + "\nFind the notes on caching.\n"), "Find the notes on caching.");
}

TEST(CleanQueryTest, ARealQuestionOfSeveralSentencesStaysWhole) {
  std::string question = "We talked about the storage of the shop. ";
  while (question.size() < 900) question += "One of us wanted a log of changes, the other a table per day. ";
  question += "Which one did we pick?";
  EXPECT_EQ(asked(question), question);
}

TEST(CleanQueryTest, ThanksAndRequestsThatSayNothingAreNoQuestion) {
  EXPECT_EQ(asked(pasted() + "Why does main.cc use the old rules? Could you find that for me, please?"),
            "Why does main.cc use the old rules?");
  EXPECT_EQ(asked(pasted() + "Find the notes on the cache of rules. Thanks a lot in advance."),
            "Find the notes on the cache of rules.");
}

TEST(CleanQueryTest, AQuestionThatSaysLittleComesWithWhatStandsBeforeIt) {
  EXPECT_EQ(asked(pasted() + "In May we met the painter in Lisbon. Who was there?"),
            "In May we met the painter in Lisbon. Who was there?");
}

TEST(CleanQueryTest, OtherScriptsEndTheirSentences) {
  EXPECT_EQ(asked(pasted() + "我们讨论过缓存。为什么要改用数据库索引呢？"), "为什么要改用数据库索引呢？");
  EXPECT_EQ(asked(pasted() + "تحدثنا عن الخادم؟ متى انتقلنا إلى قاعدة بيانات جديدة؟"),
            "متى انتقلنا إلى قاعدة بيانات جديدة؟");
}

TEST(CleanQueryTest, AQuestionBehindSomethingElseOnItsLineBeginsAtItsQuestionWord) {
  std::string log = "[";
  while (log.size() < 3000) log += R"({"level":"error","path":"/v1/items"},)";
  EXPECT_EQ(asked(log + "}] Why did the upload fail?"), "Why did the upload fail?");
  EXPECT_EQ(asked(log + "}] why did the upload fail"), "why did the upload fail");
  EXPECT_EQ(asked(pasted() + "and then the mayor went to Where did Nina learn to sail?"),
            "Where did Nina learn to sail?");
}

TEST(CleanQueryTest, AQuestionBeforeALogIsTheQuery) {
  EXPECT_EQ(asked("Why did we move timeouts to 30 seconds?\n\n" + log_lines(30)),
            "Why did we move timeouts to 30 seconds?");
  EXPECT_EQ(asked("Why did we move timeouts to 30 seconds? Here is the log:\n" + log_lines(30)),
            "Why did we move timeouts to 30 seconds?");
  EXPECT_EQ(asked("why did we move timeouts to 30 seconds\n" + log_lines(30)),
            "why did we move timeouts to 30 seconds");
}

TEST(CleanQueryTest, ARequestBeforeASignatureIsTheQuery) {
  std::string signature = "\n--\nAnna Example\n";
  while (signature.size() < 1200)
    signature += "This message is for those to whom it is addressed and for nobody else.\n";
  EXPECT_EQ(asked("please find ERR_TIMED_OUT_9912 for me. Thanks!\n" + signature + "Phone 555-1234"),
            "please find ERR_TIMED_OUT_9912 for me.");
}

TEST(CleanQueryTest, AQuestionShortlyBeforeTheEndComesBeforeTheOpeningOne) {
  EXPECT_EQ(asked("What is a queue?\n" + log_lines(30) + "Why did the last worker stop?\n\nAnna\nPhone 555-1234"),
            "Why did the last worker stop?");
  EXPECT_EQ(asked(log_lines(30) + "Why did the last worker stop?\n" + log_lines(30)), "Why did the last worker stop?");
}

TEST(CleanQueryTest, WhereNothingAsksItIsTheEndAndAsksNothing) {
  const std::string log = log_lines(30);
  EXPECT_FALSE(clean_query(log).asks);
  EXPECT_TRUE(clean_query(log).text.ends_with("1073 GET /v1/items?page=2 done when idle"));
}

TEST(CleanQueryTest, ATextWithoutSentencesIsCutToItsEndBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "語";
  const std::string_view query = clean_query(text).text;
  EXPECT_LE(query.size(), 400U);
  EXPECT_GT(query.size(), 397U);
  EXPECT_TRUE(query.starts_with("語"));
}

}  // namespace
}  // namespace loci
