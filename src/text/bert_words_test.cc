#include "text/bert_words.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace loci {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view text, BertTextRules rules = {}) {
  Words words;
  BertWords walk(text, rules);
  while (walk.next()) words.emplace_back(walk.is_too_long() ? "TOO LONG" : walk.word());
  return words;
}

TEST(BertWordsTest, CutsAtSpacesAndAroundPunctuation) {
  EXPECT_EQ(words_of("Don't stop,now!"), (Words{"don", "'", "t", "stop", ",", "now", "!"}));
  EXPECT_EQ(words_of("a\u2014b\u3002"), (Words{"a", "\u2014", "b", "\u3002"}));
  EXPECT_EQ(words_of("$5 ^_^"), (Words{"$", "5", "^", "_", "^"}));
  EXPECT_EQ(words_of(" \t\n\u00A0\u3000"), Words{});
}

TEST(BertWordsTest, TakesAccentsAndCaseAway) {
  EXPECT_EQ(words_of("\u00C9COLE na\u00EFve \u0130stanbul"), (Words{"ecole", "naive", "istanbul"}));
  EXPECT_EQ(words_of("e\u0301"), Words{"e"});
}

TEST(BertWordsTest, TakesHangulApart) { EXPECT_EQ(words_of("\uD55C"), Words{"\u1112\u1161\u11AB"}); }

TEST(BertWordsTest, MakesEachHanCharacterAWord) {
  EXPECT_EQ(words_of("ab\u65E5\u672Cc"), (Words{"ab", "\u65E5", "\u672C", "c"}));
}

TEST(BertWordsTest, DropsControlCharactersWithoutCutting) {
  EXPECT_EQ(words_of(std::string_view("a\0b\x07"
                                      "c\u200Bd\uFFFD"
                                      "e",
                                      13)),
            Words{"abcde"});
}

TEST(BertWordsTest, CutsAtWhatADecompositionYields) {
  EXPECT_EQ(words_of("a\u037Eb"), (Words{"a", ";", "b"}));  // the Greek question mark is a semicolon
}

TEST(BertWordsTest, FollowsTheRulesThatAreSwitchedOff) {
  const BertTextRules none = {
      .clean_text = false, .space_around_han = false, .strip_accents = false, .lowercase = false};
  EXPECT_EQ(words_of("\u00C9\u65E5x", none), Words{"\u00C9\u65E5x"});
  EXPECT_EQ(words_of("\u0130", {.strip_accents = false}), Words{"i\u0307"});
}

TEST(BertWordsTest, TellsAWordThatIsTooLong) {
  EXPECT_EQ(words_of(std::string(100, 'a')), Words{std::string(100, 'a')});
  std::string text(101, 'a');
  text.append(" b");
  EXPECT_EQ(words_of(text), (Words{"TOO LONG", "b"}));
}

TEST(BertWordsTest, TakesCharactersForWhatTheyWereWhenTheReferenceWasMade) {
  EXPECT_EQ(words_of("a\u2E43b"), Words{"a\u2E43b"});  // punctuation of Unicode 9
  EXPECT_EQ(words_of("a\u08E2b"), Words{"a\u08E2b"});  // a format character of Unicode 9
  EXPECT_EQ(words_of("a\u166Db"), (Words{"a", "\u166D", "b"}));
}

TEST(BertWordsTest, PutsMarksInCanonicalOrder) {
  // Two marks that are kept although accents are dropped: the one of the lower class comes first.
  EXPECT_EQ(words_of("a\U0001D16D\U0001D165"), Words{"a\U0001D165\U0001D16D"});
}

}  // namespace
}  // namespace loci
