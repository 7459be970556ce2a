#include "base/utf8.h"

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(Utf8Test, AcceptsTextOfEveryLength) {
  for (const std::string_view text :
       {"", "a", "hello", "Grüße", "日本語", "👩‍💻", "a text that is longer than sixteen bytes, é"}) {
    EXPECT_TRUE(is_valid_utf8(text)) << text;
  }
}

TEST(Utf8Test, AcceptsTheBordersOfEveryRange) {
  for (const char32_t value : {0x0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF}) {
    std::string text;
    append_utf8(text, value);
    EXPECT_TRUE(is_valid_utf8(text)) << std::hex << static_cast<std::uint32_t>(value);
  }
}

TEST(Utf8Test, RefusesMalformedBytes) {
  const std::vector<std::string> malformed = {
      "\x80",              // a continuation byte alone
      "\xC0\x80",          // overlong NUL
      "\xC1\xBF",          // overlong two bytes
      "\xE0\x9F\xBF",      // overlong three bytes
      "\xF0\x8F\xBF\xBF",  // overlong four bytes
      "\xED\xA0\x80",      // a high surrogate
      "\xED\xBF\xBF",      // a low surrogate
      "\xF4\x90\x80\x80",  // U+110000
      "\xF5\x80\x80\x80",  // a lead byte that does not exist
      "\xFF",
      "\xC3",          // cut short
      "\xE6\x97",      // cut short
      "\xF0\x9F\x98",  // cut short
      "\xC3(",         // no continuation
  };
  for (const std::string& bytes : malformed) {
    EXPECT_FALSE(is_valid_utf8(bytes)) << testing::PrintToString(bytes);
    EXPECT_FALSE(is_valid_utf8(std::string(40, 'a') + bytes + std::string(40, 'a'))) << testing::PrintToString(bytes);
  }
}

TEST(Utf8Test, FindsABadByteAtEveryPosition) {
  for (std::size_t size = 1; size < 50; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      text[at] = '\xFF';
      EXPECT_FALSE(is_valid_utf8(text)) << at << " of " << size;
    }
  }
}

TEST(Utf8Test, DecodesWhatItAppends) {
  for (char32_t value = 0; value <= 0x10FFFF; value += value < 0x3000 ? 1 : 97) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string text;
    append_utf8(text, value);
    const CodePoint decoded = decode_utf8(text, 0);
    ASSERT_EQ(decoded.value, value);
    ASSERT_EQ(decoded.length, text.size());
  }
}

TEST(Utf8Test, AppendsTheReplacementCharacterForWhatIsNoCharacter) {
  for (const char32_t value : {0xD800, 0xDFFF, 0x110000}) {
    std::string text;
    append_utf8(text, value);
    EXPECT_EQ(text, "\xEF\xBF\xBD");
  }
}

TEST(Utf8Test, DecodingAMalformedByteTakesOneByte) {
  const CodePoint decoded = decode_utf8("\xE6\x97", 0);
  EXPECT_EQ(decoded.value, kReplacementCharacter);
  EXPECT_EQ(decoded.length, 1U);
}

TEST(Utf8Test, DecodingAtTheEndTakesNothing) {
  EXPECT_EQ(decode_utf8("a", 1).length, 0U);
  EXPECT_EQ(decode_utf8("a", 7).length, 0U);
}

TEST(Utf8Test, DecodingAgreesWithValidationOnRandomBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string text(random() % 24, '\0');
    // Bytes near the interesting borders, or the test would hardly ever meet a valid sequence.
    static constexpr unsigned char kBytes[] = {'a',  'b',  0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1,
                                               0xC2, 0xDF, 0xE0, 0xE6, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5};
    for (char& byte : text) byte = static_cast<char>(kBytes[random() % sizeof kBytes]);
    bool all_decoded = true;
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint decoded = decode_utf8(text, at);
      ASSERT_GT(decoded.length, 0U);
      all_decoded = all_decoded && decoded.value != kReplacementCharacter;
      at += decoded.length;
      ASSERT_LE(at, text.size());
    }
    EXPECT_EQ(is_valid_utf8(text), all_decoded) << testing::PrintToString(text);
  }
}

TEST(Utf8Test, TheBoundaryIsBeforeACharacterThatWouldBeCut) {
  const std::string text = "a\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80z";
  const std::size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (std::size_t at = 0; at < std::size(expected); ++at) EXPECT_EQ(floor_char_boundary(text, at), expected[at]) << at;
}

TEST(Utf8Test, TheBoundaryInMalformedTextIsWhereItWasAsked) {
  EXPECT_EQ(floor_char_boundary("\x80\x80\x80\x80\x80\x80", 4), 4U);
  EXPECT_EQ(floor_char_boundary("\xC3\xA9\x80\x80", 3), 3U);
}

TEST(Utf8Test, MalformedBytesBecomeReplacementCharacters) {
  EXPECT_EQ(to_valid_utf8("a\xFF"
                          "b\xC3"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(to_valid_utf8("Grüße"), "Grüße");
}

}  // namespace
}  // namespace loci
