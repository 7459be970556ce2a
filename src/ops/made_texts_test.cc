#include "ops/made_texts.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace loci {
namespace {

std::size_t texts_with(const std::string& word) {
  TextMaker texts(1);
  std::size_t found = 0;
  for (int i = 0; i < 1'000; ++i)
    found += (" " + texts.text() + " ").find(" " + word + " ") != std::string::npos ? 1 : 0;
  return found;
}

TEST(MadeTextsTest, TheSameSeedGivesTheSameTexts) {
  EXPECT_EQ(TextMaker(3).text(), TextMaker(3).text());
  EXPECT_NE(TextMaker(3).text(), TextMaker(4).text());
}

TEST(MadeTextsTest, AQuestionBeginsWithCommonWordsAndEndsWithRareOnes) {
  const std::string question = TextMaker(5).question();
  EXPECT_EQ(std::count(question.begin(), question.end(), ' '), 7);
  EXPECT_GT(texts_with(question.substr(0, question.find(' '))), 50U);
  EXPECT_LT(texts_with(question.substr(question.rfind(' ') + 1)), 20U);
}

}  // namespace
}  // namespace loci
