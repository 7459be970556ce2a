#include "store/chroma/segment_name.h"

#include <gtest/gtest.h>

namespace loci::chroma {
namespace {

TEST(SegmentNameTest, AnIndexFolderIsCalledByAUuid) {
  EXPECT_TRUE(is_segment_name("0f0e0d0c-1111-4222-8333-444455556666"));
  EXPECT_FALSE(is_segment_name("0f0e0d0c-1111-4222-8333-44445555666g"));
  EXPECT_FALSE(is_segment_name("abcd-1234-5678"));
}

TEST(SegmentNameTest, ACopySaysWhoseItIs) {
  EXPECT_EQ(segment_of_copy("abcd-1234.drift-20260101-000000"), "abcd-1234");
  EXPECT_EQ(segment_of_copy("abcd-1234.corrupt-x.drift-20260101-000000"), "abcd-1234");
  EXPECT_EQ(segment_of_copy("abcd-1234"), std::nullopt);
}

TEST(SegmentNameTest, ACopySaysWhenItWasRenamed) {
  EXPECT_EQ(time_of_copy("abcd-1234.quarantine-20260101-000000-2"), "20260101-000000-2");
  EXPECT_EQ(time_of_copy("abcd-1234.corrupt-1"), std::nullopt);
  EXPECT_EQ(time_of_copy("abcd-1234"), std::nullopt);
}

}  // namespace
}  // namespace loci::chroma
