#include "store/chroma/index_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/chroma/test_folder.h"

namespace loci::chroma {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

TEST(IndexMetadataTest, LabelsAreReadAsChroma1WritesThem) {
  const IndexMetadata metadata = parse_index_metadata(made_pickle({{"a", 1}, {"über", 3}}, 4));
  EXPECT_EQ(metadata.problem, "");
  EXPECT_EQ(metadata.total_elements_added, 4U);
  EXPECT_EQ(metadata.max_seq_id, std::nullopt);
  EXPECT_THAT(metadata.labels, ElementsAre(Pair("a", 1U), Pair("über", 3U)));
}

TEST(IndexMetadataTest, LabelsAreReadAsPythonWritesThem) {
  using namespace std::string_literals;
  // An object with frames, a memo, short texts and its state set by BUILD.
  const Bytes pickle = bytes_of(
      "\x80\x05\x95\x00\x01\x00\x00\x00\x00\x00\x00"s
      "\x8c\x06module\x94\x8c\x04Name\x94\x93\x94)\x81\x94}\x94("s
      "\x8c\x0e"s
      "dimensionality\x94K\x20\x8c\x14total_elements_added\x94M\x00\x01\x8c\x0amax_seq_id\x94\x8a\x02\x10\x27"s
      "\x8c\x0bid_to_label\x94}\x94(\x8c\x01x\x94K\x01\x8c\x01y\x94\x4a\x02\x00\x00\x00u"s
      "\x8c\x0blabel_to_id\x94}\x94(K\x01h\x0aK\x02h\x0bu"s
      "\x8c\x0cid_to_seq_id\x94}\x94(h\x0aM\x10\x26h\x0bK\x05uub."s);
  const IndexMetadata metadata = parse_index_metadata(pickle);
  EXPECT_EQ(metadata.problem, "");
  EXPECT_EQ(metadata.total_elements_added, 256U);
  EXPECT_EQ(metadata.max_seq_id, 10'000);
  EXPECT_EQ(metadata.last_seq, 0x2610);
  EXPECT_THAT(metadata.labels, ElementsAre(Pair("x", 1U), Pair("y", 2U)));
}

TEST(IndexMetadataTest, ACutFileKeepsWhatItHas) {
  const Bytes whole = made_pickle({{"a", 1}, {"b", 2}, {"c", 3}}, 3);
  std::size_t most = 0;
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const IndexMetadata metadata = parse_index_metadata(std::span(whole).first(cut));
    EXPECT_NE(metadata.problem, "") << cut;
    EXPECT_GE(metadata.labels.size(), most) << "more bytes hold more";
    most = metadata.labels.size();
  }
  EXPECT_EQ(most, 3U);
}

TEST(IndexMetadataTest, AForeignInstructionIsNotRun) {
  // cos\nsystem\n(S'…'\ntR. is what an attacker would write.
  const IndexMetadata metadata =
      parse_index_metadata(bytes_of("\x80\x03"
                                    "cos\nsystem\n(S'true'\ntR."));
  EXPECT_THAT(metadata.problem, HasSubstr("byte"));
  EXPECT_THAT(metadata.labels, IsEmpty());
}

TEST(IndexMetadataTest, BytesThatAreNoPickleGiveNothing) {
  for (const char* text :
       {"", "u", "s", "b", "R", "h\x01", "\x94", "X\xff\xff\xff\xff", "\x8a\x09", "((((", "}}}u", "}(Nu.", "N."}) {
    EXPECT_THAT(parse_index_metadata(bytes_of(text)).labels, IsEmpty()) << text;
    EXPECT_NE(parse_index_metadata(bytes_of(text)).problem, "") << text;
  }
}

TEST(IndexMetadataTest, ALabelThatIsNoneIsLeftOut) {
  const IndexMetadata metadata = parse_index_metadata(made_pickle({{"a", 0}, {"b", 0xffffffff}, {"c", 1}}, 1));
  EXPECT_THAT(metadata.labels, ElementsAre(Pair("c", 1U)));
}

}  // namespace
}  // namespace loci::chroma
