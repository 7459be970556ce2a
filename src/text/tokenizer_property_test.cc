// What holds for every input, tried on random ones.
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "text/query_words.h"
#include "text/snippet.h"
#include "text/token_text.h"
#include "text/tokenizer.h"

namespace loci {
namespace {

// Text of random pieces that the rules care about, with some bytes that are no text at all.
std::string random_text(std::mt19937& random) {
  static const std::vector<std::string> kPieces = {
      "parse", "Http", "HEADER", "APIs",   "running", "x",  "é",    "Ł",    "ß",    "ﬁ",    "Ω",    "й",      "東",
      "京",    "ー",   "ｶﾞ",     "서",     "ᄉ",      "ᅥ", "ภ",    "า",    "ำ",    "हि",   "ش",    "\u0301", "\u200D",
      "👩",     "🏽", "🇩",      "❤️", "½",       "②",  "㎏",   "1",    "23",   "0308", " ",    " ",      "\n",
      "_",     "__",   "-",      "--",     ".",       "/",  "\\",   "@",    ":",    "::",   "'",    "’s",     "++",
      "#",     "\"",   "“",      "”",      "*",       "(",  "\xFF", "\xC3", "\xE6", "\x80", "\x1F", "\x7F",   "’"};
  std::string text;
  for (std::size_t count = random() % 24; count > 0; --count) text += kPieces[random() % kPieces.size()];
  if (random() % 8 == 0) text += std::string(random() % 300, static_cast<char>(random() % 256));
  return text;
}

constexpr int kRounds = 5'000;

TEST(TokenizerPropertyTest, RangesLieInTheTextAndNeverGoBack) {
  std::mt19937 random(1);
  Tokenizer tokenizer;
  for (int round = 0; round < kRounds; ++round) {
    const std::string text = random_text(random);
    std::size_t position_start = 0;
    bool is_first = true;
    tokenizer.tokenize(text, TokenizeFor::document, [&](const Token& token) {
      EXPECT_LT(token.start, token.end) << testing::PrintToString(text);
      EXPECT_LE(token.end, text.size()) << testing::PrintToString(text);
      EXPECT_GE(token.start, position_start) << testing::PrintToString(text);
      EXPECT_FALSE(is_first && (token.colocated || token.continues)) << testing::PrintToString(text);
      if (!token.colocated) position_start = token.start;
      is_first = false;
      return 0;
    });
  }
}

TEST(TokenizerPropertyTest, TokensAreShortValidTextWithoutSpaces) {
  std::mt19937 random(2);
  Tokenizer tokenizer;
  for (int round = 0; round < kRounds; ++round) {
    const std::string text = random_text(random);
    tokenizer.tokenize(text, TokenizeFor::document, [&](const Token& token) {
      EXPECT_FALSE(token.text.empty()) << testing::PrintToString(text);
      EXPECT_LE(token.text.size(), kMaxTokenBytes) << testing::PrintToString(text);
      EXPECT_TRUE(is_valid_utf8(token.text)) << testing::PrintToString(text);
      for (const char character : token.text) {
        EXPECT_FALSE(static_cast<unsigned char>(character) <= 0x20 || character == '"' || character == '*')
            << testing::PrintToString(text);
      }
      return 0;
    });
  }
}

TEST(TokenizerPropertyTest, RandomBytesDoNoHarm) {
  std::mt19937 random(3);
  for (int round = 0; round < kRounds; ++round) {
    std::string text(random() % 64, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    token_text(text);
    token_text(text, TokenizeFor::query);
  }
}

TEST(TokenizerPropertyTest, TextsNextToEachOtherDoNotMixAcrossASpace) {
  std::mt19937 random(4);
  for (int round = 0; round < kRounds / 4; ++round) {
    const std::string left = random_text(random);
    const std::string right = random_text(random);
    const std::string left_tokens = token_text(left);
    const std::string right_tokens = token_text(right);
    const std::string between = left_tokens.empty() || right_tokens.empty() ? "" : " ";
    EXPECT_EQ(token_text(left + " " + right), left_tokens + between + right_tokens)
        << testing::PrintToString(left + " " + right);
  }
}

TEST(TokenizerPropertyTest, UpperAndLowerCaseOfAPlainWordAgree) {
  std::mt19937 random(5);
  for (int round = 0; round < kRounds; ++round) {
    std::string lower(1 + random() % 20, 'a');
    for (char& letter : lower) letter = static_cast<char>('a' + random() % 26);
    std::string upper = lower;
    for (char& letter : upper) letter = static_cast<char>(letter - 'a' + 'A');
    EXPECT_EQ(token_text(lower), token_text(upper));
  }
}

// An expression is a row of quoted strings with OR between them; a star may follow a string.
bool is_safe_expression(std::string_view expression) {
  while (!expression.empty()) {
    if (!expression.starts_with("\"\x1F")) return false;
    const std::size_t close = expression.find('"', 1);
    if (close == std::string_view::npos || close < 3) return false;
    if (expression.substr(0, close).find('\0') != std::string_view::npos) return false;
    expression.remove_prefix(close + 1);
    if (expression.starts_with(" *")) expression.remove_prefix(2);
    if (expression.empty()) return true;
    if (!expression.starts_with(" OR \"")) return false;
    expression.remove_prefix(4);
  }
  return true;
}

TEST(QueryPropertyTest, NothingInAQueryBecomesSyntax) {
  std::mt19937 random(6);
  for (int round = 0; round < kRounds; ++round) {
    const std::string query = random_text(random);
    const std::string expression = fts5_any_word_query(query);
    EXPECT_TRUE(is_safe_expression(expression)) << testing::PrintToString(query) << " → " << expression;
  }
}

TEST(QueryPropertyTest, ADocumentIsFoundByItself) {
  std::mt19937 random(7);
  for (int round = 0; round < kRounds / 4; ++round) {
    const std::string text = random_text(random);
    const bool has_words = !query_terms(text).empty();
    EXPECT_EQ(!highlights(text, query_terms(text)).empty(), has_words) << testing::PrintToString(text);
  }
}

TEST(SnippetPropertyTest, ASnippetIsNeverLongerThanAsked) {
  std::mt19937 random(8);
  for (int round = 0; round < kRounds / 4; ++round) {
    const std::string document = random_text(random) + random_text(random) + random_text(random);
    const std::size_t limit = random() % 100;
    const std::string shown = snippet(document, query_terms(random_text(random)), limit);
    EXPECT_LE(shown.size(), limit) << testing::PrintToString(document);
    EXPECT_TRUE(is_valid_utf8(shown)) << testing::PrintToString(document);
  }
}

TEST(SnippetPropertyTest, HighlightsAreInOrderInsideAndApart) {
  std::mt19937 random(9);
  for (int round = 0; round < kRounds / 4; ++round) {
    const std::string document = random_text(random) + random_text(random);
    std::size_t last_end = 0;
    bool is_first = true;
    for (const Highlight& highlight : highlights(document, query_terms(random_text(random)))) {
      EXPECT_LT(highlight.start, highlight.end);
      EXPECT_LE(highlight.end, document.size());
      EXPECT_TRUE(is_first || highlight.start > last_end) << testing::PrintToString(document);
      last_end = highlight.end;
      is_first = false;
    }
  }
}

}  // namespace
}  // namespace loci
