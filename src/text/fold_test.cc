#include "text/fold.h"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "text/char_class.h"

namespace loci {
namespace {

std::string folded(std::string_view word) {
  Folder folder;
  std::string out;
  folder.append_folded(word, out);
  return out;
}

bool is_word_character(char32_t code_point) {
  const CharClass char_class = classify(code_point);
  return begins_word(char_class) || char_class == CharClass::mark || char_class == CharClass::unspaced;
}

TEST(FoldTest, TakesAwayCase) {
  EXPECT_EQ(folded("HeLLo42"), "hello42");
  EXPECT_EQ(folded("ΣΊΣΥΦΟΣ"), "σισυφοσ");
  EXPECT_EQ(folded("ЖУК"), "жук");
}

TEST(FoldTest, TakesAwayAccents) {
  EXPECT_EQ(folded("ÀÉÎõüñç"), "aeiounc");
  EXPECT_EQ(folded("Ěščřž"), "escrz");
  EXPECT_EQ(folded("Tiếng"), "tieng");
}

TEST(FoldTest, ComposedAndDecomposedAgree) {
  EXPECT_EQ(folded("e\u0301"), folded("é"));
  EXPECT_EQ(folded("か\u3099"), folded("が"));
  EXPECT_EQ(folded("क\u093C"), folded("क़"));
}

TEST(FoldTest, SpellsOutLettersThatAreTwo) { EXPECT_EQ(folded("ﬁßæœþ"), "fissaeoeth"); }

TEST(FoldTest, KeepsSoundMarksAndSyllables) {
  EXPECT_EQ(folded("がぱ"), "がぱ");
  EXPECT_EQ(folded("한국"), "한국");
}

TEST(FoldTest, TurkishCapitalsFoldToPlainLetters) { EXPECT_EQ(folded("İIıi"), "iiii"); }

TEST(FoldTest, CharactersThatStandForSeveralLeaveNoBracketsOrSpaces) {
  EXPECT_EQ(folded("㎏"), "kg");
  EXPECT_EQ(folded("½"), "1_2");
  EXPECT_EQ(folded("⑴"), "1");
}

TEST(FoldTest, LooksAtTheBeginningOfALongWordOnly) {
  std::string word;
  for (int count = 0; count < 1000; ++count) word += "é";
  EXPECT_EQ(folded(word), std::string(Folder::kMaxWordBytes / 2, 'e'));
}

TEST(FoldTest, AppendsToWhatIsThere) {
  Folder folder;
  std::string out = "A";
  folder.append_folded("É", out);
  folder.append_folded("B", out);
  EXPECT_EQ(out, "Aeb");
}

TEST(FoldTest, FoldingEachCharacterTwiceIsFoldingItOnce) {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (!is_word_character(code_point)) continue;
    std::string word;
    append_utf8(word, code_point);
    const std::string once = folded(word);
    ASSERT_EQ(folded(once), once) << std::hex << static_cast<std::uint32_t>(code_point);
  }
}

TEST(FoldTest, FoldingAWordTwiceIsFoldingItOnce) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string word;
    for (std::size_t count = 1 + random() % 6; count > 0; --count) {
      const auto code_point = static_cast<char32_t>(random() % (random() % 2 == 0 ? 0x600 : 0x20000));
      if (is_word_character(code_point)) append_utf8(word, code_point);
    }
    const std::string once = folded(word);
    ASSERT_TRUE(is_valid_utf8(once));
    ASSERT_EQ(folded(once), once) << word;
  }
}

}  // namespace
}  // namespace loci
