#include "api/long_integer.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(LongIntegerTest, IsFoundAmongNumbersAndTexts) {
  EXPECT_EQ(find_long_integer("99999999999999999999"), "99999999999999999999");
  EXPECT_EQ(find_long_integer("-9223372036854775809"), "-9223372036854775809");
  EXPECT_EQ(find_long_integer(R"(["\\", {"a\"1": [18446744073709551616]}])"), "18446744073709551616");
  for (const char* json : {"18446744073709551615", "-9223372036854775808", "1e20", "100000000000000000000.5",
                           R"(["99999999999999999999", 1e30])", R"({"\"99999999999999999999": 1e30})", ""}) {
    EXPECT_EQ(find_long_integer(json), std::nullopt) << json;
  }
}

TEST(LongIntegerTest, IsNamedWithItsFirstDigits) {
  EXPECT_EQ(no_64_bits("99999999999999999999"), "the number 99999999999999999999 does not fit into 64 bits");
  EXPECT_EQ(no_64_bits(std::string(1000, '9')), "the number " + std::string(40, '9') + "… does not fit into 64 bits");
}

}  // namespace
}  // namespace loci
