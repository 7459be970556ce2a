#include "api/long_integer.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(LongIntegerTest, KeepsItsDigitsWhereItIsRead) {
  for (const std::string digits : {"18446744073709551616", "-9223372036854775809", "100000000000000000000"}) {
    const Result<Json> json = parse_json("[{\"a\": " + digits + "}]", "the text");
    ASSERT_TRUE(json.ok()) << json.error().message;
    const Json& value = json->at(0).at("a");
    EXPECT_EQ(digits_of_long_integer(value), digits);
    EXPECT_FALSE(value.is_number() || value.is_structured() || value.is_string()) << "a field could take it";
  }
}

TEST(LongIntegerTest, OtherNumbersStayWhatTheyAre) {
  EXPECT_EQ(parse_json("18446744073709551615", "").value(), Json(UINT64_MAX));
  EXPECT_EQ(parse_json("-9223372036854775808", "").value(), Json(INT64_MIN));
  EXPECT_EQ(parse_json("1e20", "").value(), Json(1e20));
  EXPECT_EQ(parse_json("100000000000000000000.5", "").value(), Json(1e20));
  EXPECT_EQ(digits_of_long_integer("99999999999999999999"), std::nullopt);
}

TEST(LongIntegerTest, IsNamedWithItsFirstDigits) {
  EXPECT_EQ(no_64_bits("99999999999999999999"), "the number 99999999999999999999 does not fit into 64 bits");
  EXPECT_EQ(no_64_bits(std::string(1000, '9')), "the number " + std::string(40, '9') + "… does not fit into 64 bits");
}

}  // namespace
}  // namespace loci
