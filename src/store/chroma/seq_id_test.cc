#include "store/chroma/seq_id.h"

#include <vector>

#include <gtest/gtest.h>

namespace loci::chroma {
namespace {

TEST(SeqIdTest, ABlobIsReadBigEndFirst) {
  EXPECT_EQ(decode_seq_id(std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 3, 0xA3}), 931);
  EXPECT_EQ(decode_seq_id(encode_seq_id(502607)), 502607);
  std::vector<std::uint8_t> wide(24);
  wide[23] = 7;
  EXPECT_EQ(decode_seq_id(wide), 7);
}

TEST(SeqIdTest, WhatIsNoSequenceNumberIsRefused) {
  EXPECT_EQ(decode_seq_id({}), std::nullopt);
  EXPECT_EQ(decode_seq_id(std::vector<std::uint8_t>(7)), std::nullopt);
  EXPECT_EQ(decode_seq_id(std::vector<std::uint8_t>(9)), std::nullopt);
  EXPECT_EQ(decode_seq_id(std::vector<std::uint8_t>(8, 0xff)), std::nullopt) << "negative";
  EXPECT_EQ(decode_seq_id(std::vector<std::uint8_t>(24, 1)), std::nullopt) << "larger than 64 bits";
}

TEST(SeqIdTest, APoisonedNumberIsReadBack) {
  EXPECT_EQ(unpoisoned(1229822654365970487), 502607);
  EXPECT_EQ(unpoisoned(0x1111111111111135), 5);
  EXPECT_EQ(unpoisoned(502607), std::nullopt) << "this one is healthy";
  EXPECT_EQ(unpoisoned(0x1111111111111111), std::nullopt);
  EXPECT_EQ(unpoisoned(0x7111353032363037), std::nullopt) << "not by the fix that we know";
}

}  // namespace
}  // namespace loci::chroma
