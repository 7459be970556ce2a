#include "base/sha256.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace loci {
namespace {

TEST(Sha256Test, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, ManyThreadsMayDigestAtOnce) {
  const Sha256 expected = sha256("abc");
  std::vector<std::thread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([&expected] {
      for (int round = 0; round < 1000; ++round) EXPECT_EQ(sha256("abc"), expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HexTest, ReadsWhatItWrites) {
  const std::vector<std::uint8_t> bytes = {0x00, 0x0F, 0xA0, 0xFF};
  EXPECT_EQ(to_hex(bytes), "000fa0ff");
  EXPECT_EQ(from_hex("000fa0ff"), bytes);
}

TEST(HexTest, ReadsUpperCase) { EXPECT_EQ(from_hex("aBCd"), (std::vector<std::uint8_t>{0xAB, 0xCD})); }

TEST(HexTest, RefusesAnOddLengthAndOtherCharacters) {
  for (const char* text : {"a", "abc", "0g", " 0", "0x", "--"}) EXPECT_FALSE(from_hex(text).has_value()) << text;
}

}  // namespace
}  // namespace loci
