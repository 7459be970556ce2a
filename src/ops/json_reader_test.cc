#include "ops/json_reader.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace loci {
namespace {

Result<std::string> read_string(std::string_view text) {
  JsonReader reader(text);
  Result<std::string> value = reader.string();
  if (!value.ok()) return value;
  TRY(reader.end());
  return value;
}

Result<std::string_view> read_number(std::string_view text) {
  JsonReader reader(text);
  Result<std::string_view> value = reader.number();
  if (!value.ok()) return value;
  TRY(reader.end());
  return value;
}

TEST(JsonReaderTest, ReadsStringsWithAllEscapes) {
  EXPECT_EQ(*read_string(R"(  "a\"\\\/\b\f\n\r\t" )"), "a\"\\/\b\f\n\r\t");
  EXPECT_EQ(*read_string(R"("\u0041\u00e9\u20AC\ud83d\udc22")"), "Aé€🐢");
  EXPECT_EQ(*read_string("\"żółw 🐢\""), "żółw 🐢");
  EXPECT_EQ(*read_string(R"("")"), "");
}

TEST(JsonReaderTest, RefusesWhatIsNoString) {
  for (const char* text :
       {"\"a", "a", "\"a\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u+123\"", "\"a\nb\"", "'a'", "\"a\"b", ""}) {
    EXPECT_FALSE(read_string(text).ok()) << text;
  }
}

TEST(JsonReaderTest, RefusesHalfASurrogatePairAndNul) {
  for (const char* text : {R"("\ud800")", R"("\udc00")", R"("\ud800\ud800")", R"("\ud800A")", R"("\ud800x")"}) {
    const Result<std::string> read = read_string(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_NE(read.error().message.find("surrogate"), std::string::npos) << read.error().message;
  }
  const Result<std::string> read = read_string(R"("ab\u0000")");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "column 4: the character NUL (\\u0000) is not accepted in text");
}

TEST(JsonReaderTest, HandsNumbersOutAsTheyStand) {
  for (const char* text : {"0", "-0", "12", "-1.50", "1e5", "1E+05", "0.0e-3"}) EXPECT_EQ(*read_number(text), text);
  for (const char* text : {"", "-", "01", "1.", ".5", "+1", "1e", "1e+", "0x1", "NaN", "Infinity", "1_0", "--1"}) {
    EXPECT_FALSE(read_number(text).ok()) << text;
  }
}

TEST(JsonReaderTest, ReadsTheWordsOfJson) {
  EXPECT_TRUE(*JsonReader(" true").boolean());
  EXPECT_FALSE(*JsonReader("false").boolean());
  EXPECT_TRUE(JsonReader("null").null().ok());
  EXPECT_FALSE(JsonReader("tru").boolean().ok());
  EXPECT_FALSE(JsonReader("nul").null().ok());
  EXPECT_FALSE(JsonReader("1").null().ok());
}

TEST(JsonReaderTest, WalksObjectsAndLists) {
  JsonReader reader(R"( { "a" : [ 1 , 2 ] , "b" : [] , "c" : {} } )");
  std::vector<std::string> seen;
  const auto element = [&]() -> Status {
    seen.emplace_back(TRY(reader.number()));
    return ok_status();
  };
  const auto nothing = [](const std::string&) { return ok_status(); };
  const auto member = [&](const std::string& name) -> Status {
    seen.push_back(name);
    return name == "c" ? reader.object(nothing) : reader.array(element);
  };
  ASSERT_TRUE(reader.object(member).ok());
  EXPECT_TRUE(reader.end().ok());
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "1", "2", "b", "c"}));
}

TEST(JsonReaderTest, RefusesBrokenObjectsAndLists) {
  for (const char* text : {"{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{\"a\" 1}", "{a:1}",
                           "{\"a\":1 \"b\":2}", "{,}", "{\"a\":1,\"a\":2}"}) {
    JsonReader reader(text);
    const auto member = [&](const std::string&) -> Status {
      TRY(reader.number());
      return ok_status();
    };
    EXPECT_FALSE(reader.object(member).ok()) << text;
  }
  for (const char* text : {"[", "[1", "[1,", "[1,]", "[1 2]", "[,]"}) {
    JsonReader reader(text);
    const auto element = [&]() -> Status {
      TRY(reader.number());
      return ok_status();
    };
    EXPECT_FALSE(reader.array(element).ok()) << text;
  }
}

TEST(JsonReaderTest, FindsANameThatComesTwiceAmongMany) {
  std::string text = "{";
  for (int i = 0; i < 100; ++i) text += "\"n" + std::to_string(i) + "\":1,";
  for (const char* last : {"n0", "n99"}) {
    const std::string with_last = text + "\"" + last + "\":1}";
    JsonReader reader(with_last);
    const auto member = [&](const std::string&) -> Status {
      TRY(reader.number());
      return ok_status();
    };
    EXPECT_FALSE(reader.object(member).ok()) << last;
  }
}

TEST(JsonReaderTest, AnErrorNamesThePlace) {
  EXPECT_EQ(read_string("  12").error().message, "column 3: here is a number, but it should be a string");
  EXPECT_EQ(read_string("").error().message, "column 1: the text ends where a string should be");
  EXPECT_EQ(read_string("?").error().message, "column 1: this is not JSON; here should be a string");
  EXPECT_EQ(read_string("\"a\" x").error().message, "column 5: more text follows after the value");
}

TEST(JsonReaderTest, NumbersThatDoNotFitAreRefused) {
  EXPECT_EQ(*integer_value("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(*integer_value("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_FALSE(integer_value("9223372036854775808").ok());
  EXPECT_FALSE(integer_value(std::string(1000, '9')).ok());
  EXPECT_LT(integer_value(std::string(1000, '9')).error().message.size(), 200U);
  EXPECT_EQ(*real_value("5e-324"), 5e-324);
  EXPECT_TRUE(std::signbit(*real_value("-0.0")));
  EXPECT_FALSE(real_value("1e400").ok());
  EXPECT_FALSE(float_value("1e39").ok());
  EXPECT_EQ(*float_value("1e-50"), 0.0F);
  EXPECT_EQ(*float_value("1e-45"), std::numeric_limits<float>::denorm_min());
  EXPECT_TRUE(std::signbit(*float_value("-0")));
}

}  // namespace
}  // namespace loci
