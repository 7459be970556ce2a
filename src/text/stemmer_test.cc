#include "text/stemmer.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(StemmerTest, FormsOfAWordHaveOneStem) {
  Stemmer stemmer;
  EXPECT_EQ(stemmer.stem("connect"), "connect");
  EXPECT_EQ(stemmer.stem("connected"), "connect");
  EXPECT_EQ(stemmer.stem("connections"), "connect");
  EXPECT_EQ(stemmer.stem("memories"), stemmer.stem("memory"));
}

TEST(StemmerTest, ARememberedStemIsTheComputedOne) {
  Stemmer remembering;
  std::mt19937 random(1);
  for (int round = 0; round < 50'000; ++round) {
    // Few letters and common endings, so that words come again and places are fought for.
    static const char* const kEndings[] = {"", "s", "ing", "ed", "ation", "ies", "y", "e"};
    std::string word(1 + random() % 9, 'a');
    for (char& letter : word) letter = static_cast<char>('a' + random() % 3);
    word += kEndings[random() % std::size(kEndings)];
    const std::string first(remembering.stem(word));
    EXPECT_EQ(remembering.stem(word), first) << word;
    if (round % 50 == 0) {
      Stemmer fresh;
      EXPECT_EQ(fresh.stem(word), first) << word;
    }
  }
}

TEST(StemmerTest, LongWordsAndNoWordAreStemmedToo) {
  Stemmer stemmer;
  EXPECT_EQ(stemmer.stem(""), "");
  EXPECT_EQ(stemmer.stem("internationalizations"), "internation");
}

}  // namespace
}  // namespace loci
