#include "text/decode.h"

#include <string>

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace loci {
namespace {

using namespace std::string_literals;

struct Expected {
  std::string text;
  std::string_view encoding;
};

void expect_decoded(const std::string& bytes, const Expected& expected) {
  const std::optional<Decoded> decoded = decode_text(bytes);
  ASSERT_TRUE(decoded.has_value()) << testing::PrintToString(bytes);
  EXPECT_EQ(decoded->text, expected.text);
  EXPECT_EQ(decoded->encoding, expected.encoding);
  EXPECT_TRUE(is_valid_utf8(decoded->text));
}

std::string utf16(std::u16string_view text, bool big) {
  std::string bytes;
  for (const char16_t unit : text) {
    const auto high = static_cast<char>(unit >> 8);
    const auto low = static_cast<char>(unit & 0xFF);
    bytes += big ? std::string{high, low} : std::string{low, high};
  }
  return bytes;
}

TEST(DecodeTest, Utf8IsTakenAsItIs) {
  expect_decoded("", {"", "utf-8"});
  expect_decoded("Grüße\r\n東京\r", {"Grüße\r\n東京\r", "utf-8"});
}

TEST(DecodeTest, AByteOrderMarkIsNoText) {
  expect_decoded("\xEF\xBB\xBF# Title\n", {"# Title\n", "utf-8-bom"});
  expect_decoded("\xEF\xBB\xBF", {"", "utf-8-bom"});
  expect_decoded("\xFF\xFE" + utf16(u"Grüße 👋\n", false), {"Grüße 👋\n", "utf-16le"});
  expect_decoded("\xFE\xFF" + utf16(u"東京", true), {"東京", "utf-16be"});
}

TEST(DecodeTest, Utf16WithoutAMarkIsRecognised) {
  expect_decoded(utf16(u"Some plain words.\r\n", false), {"Some plain words.\r\n", "utf-16le"});
  expect_decoded(utf16(u"Some plain words.\r\n", true), {"Some plain words.\r\n", "utf-16be"});
}

TEST(DecodeTest, LoneSurrogatesAndOddBytesAreReplaced) {
  expect_decoded("\xFF\xFE" + utf16(u"a\xD800z\xDC00", false), {"a\uFFFDz\uFFFD", "utf-16le"});
  expect_decoded("\xFF\xFE" + utf16(u"a\xD83D", false), {"a\uFFFD", "utf-16le"});
  expect_decoded("\xFF\xFE" + utf16(u"ab", false) + "c", {"ab\uFFFD", "utf-16le"});
}

TEST(DecodeTest, Latin1IsWhatIsNoUtf8) {
  expect_decoded(
      "Gr\xFC\xDF"
      "e, \x80 5, \x93"
      "caf\xE9\x94",
      {"Grüße, € 5, “café”", "latin-1"});
}

TEST(DecodeTest, AFewBadBytesLeaveTheOthersAlone) {
  expect_decoded(
      "Grüße aus Köln, Stra\xDF"
      "e",
      {"Grüße aus Köln, Straße", "latin-1"});
  expect_decoded("Grüße \xE2\x82", {"Grüße â‚", "latin-1"});
}

TEST(DecodeTest, AFewNulBytesInATextAreReplaced) {
  std::string log;
  for (int i = 0; i < 300; ++i) log += "a line of a log\n" + (i % 60 == 0 ? "\0"s : ""s);
  const std::optional<Decoded> decoded = decode_text(log + '\0');
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->replaced_nuls, 6U);
  EXPECT_TRUE(decoded->text.starts_with("a line of a log\n\uFFFDa line"));
  EXPECT_TRUE(decoded->text.ends_with("log\n\uFFFD"));
  EXPECT_EQ(decode_text("\xFF\xFE" + utf16(std::u16string(100, u'a') + u'\0', false))->replaced_nuls, 1U);
  EXPECT_FALSE(decode_text(log + "caf\xE9").has_value());
}

TEST(DecodeTest, ATextWithABinaryPartIsBinary) {
  std::string script;
  for (int i = 0; i < 5000; ++i) script += "a line of a script\n";
  std::string archive;
  for (int i = 0; i < 4096; ++i) archive += i % 9 == 0 ? '\0' : 'x';
  EXPECT_FALSE(decode_text(script + archive).has_value());
  EXPECT_FALSE(decode_text(script + archive + script).has_value());
}

TEST(DecodeTest, NulBytesAreBinary) {
  EXPECT_FALSE(decode_text("ab\0cd"s).has_value());
  EXPECT_FALSE(decode_text("\xFF\xFE" + utf16(std::u16string_view(u"a\0b", 3), false)).has_value());
  EXPECT_FALSE(decode_text("\x7F"
                           "ELF\x02\x01\x01\0\0\0"s)
                   .has_value());
}

TEST(DecodeTest, ManyControlCharactersAreBinary) {
  std::string bytes;
  for (int i = 1; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  EXPECT_FALSE(decode_text(bytes + "\x01\x02\x03\x04").has_value());
  EXPECT_TRUE(decode_text("\x1B[31mred\x1B[0m and a form feed\f\n").has_value());
}

}  // namespace
}  // namespace loci
