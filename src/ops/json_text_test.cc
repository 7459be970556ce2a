#include "ops/json_text.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ops/json_reader.h"

namespace loci {
namespace {

std::string string_text(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string real_text(double value) {
  std::string out;
  append_json_real(out, value);
  return out;
}

std::string value_text(const MetadataValue& value) {
  std::string out;
  append_json_value(out, value);
  return out;
}

TEST(JsonTextTest, OnlyWhatJsonForbidsIsEscaped) {
  EXPECT_EQ(string_text("plain"), R"("plain")");
  EXPECT_EQ(string_text("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(string_text("\b\f\n\r\t\x01\x1f\x7f"), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
  EXPECT_EQ(string_text("żółw 🐢\u2028"), "\"żółw 🐢\u2028\"");
  EXPECT_EQ(string_text(""), R"("")");
}

TEST(JsonTextTest, ARealIsNeverMistakenForAnInteger) {
  EXPECT_EQ(real_text(1.0), "1.0");
  EXPECT_EQ(real_text(-0.0), "-0.0");
  EXPECT_EQ(real_text(0.1), "0.1");
  EXPECT_EQ(real_text(1e308), "1e+308");
  EXPECT_EQ(real_text(5e-324), "5e-324");
  EXPECT_EQ(real_text(123456789012.0), "123456789012.0");
  EXPECT_EQ(real_text(9007199254740993.0), "9007199254740992.0");
}

TEST(JsonTextTest, AnyRealReadsBackBitForBit) {
  std::uint64_t state = 1;
  for (int i = 0; i < 100'000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto value = std::bit_cast<double>(state);
    if (!std::isfinite(value)) continue;
    const std::string text = real_text(value);
    EXPECT_FALSE(is_integer(text)) << text;
    const Result<double> read = real_value(text);
    ASSERT_TRUE(read.ok()) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*read), state) << text;
  }
}

// Every exponent, with mantissas at both ends and scattered between: floats whose shortest text lies near the middle
// between two neighbours are those that reading by way of a double gets wrong.
TEST(JsonTextTest, AnyFloatReadsBackBitForBit) {
  std::uint32_t state = 1;
  for (std::uint32_t exponent = 0; exponent < 255; ++exponent) {
    for (int i = 0; i < 400; ++i) {
      state = state * 1664525U + 1013904223U;
      const std::uint32_t mantissa = i == 0 ? 0 : i == 1 ? 0x7fffff : i == 2 ? 1 : state >> 9;
      const std::uint32_t bits = (exponent << 23) | mantissa | (state << 31);
      std::string text;
      append_json_vector(text, {std::bit_cast<float>(bits)});
      const Result<float> read = float_value(std::string_view(text).substr(1, text.size() - 2));
      ASSERT_TRUE(read.ok()) << text;
      EXPECT_EQ(std::bit_cast<std::uint32_t>(*read), bits) << text;
    }
  }
}

TEST(JsonTextTest, AllTypesOfMetadataHaveTheirText) {
  EXPECT_EQ(value_text(std::string("a")), R"("a")");
  EXPECT_EQ(value_text(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(value_text(2.5), "2.5");
  EXPECT_EQ(value_text(true), "true");
  EXPECT_EQ(value_text(std::vector<std::string>{"a", "b"}), R"(["a","b"])");
  EXPECT_EQ(value_text(std::vector<std::int64_t>{1, -2}), "[1,-2]");
  EXPECT_EQ(value_text(std::vector<double>{1, 2.5}), "[1.0,2.5]");
  EXPECT_EQ(value_text(std::vector<bool>{true, false}), "[true,false]");
  EXPECT_EQ(value_text(std::vector<std::string>{}), "[]");
}

TEST(JsonTextTest, MetadataIsAnObjectOrderedByName) {
  std::string out;
  append_json_metadata(out, {{"b", std::int64_t{1}}, {"a", std::string("x")}});
  EXPECT_EQ(out, R"({"a":"x","b":1})");
}

TEST(JsonTextTest, InfinitiesHaveNoForm) {
  EXPECT_TRUE(has_json_form(1.0));
  EXPECT_FALSE(has_json_form(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(has_json_form(std::vector<double>{1, std::nan("")}));
  EXPECT_TRUE(has_json_form(std::string("nan")));
}

}  // namespace
}  // namespace loci
