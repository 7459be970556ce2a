#include "ingest/source_state.h"

#include <gtest/gtest.h>

namespace loci {
namespace {

const SourceState kState{{12, -5, 1'700'000'000'123'456'789, 42}, "0123456789abcdef", std::string(64, 'a')};

TEST(SourceStateTest, ReadsBackAsItWas) { EXPECT_EQ(parse_source_state(to_text(kState)), kState); }

TEST(SourceStateTest, WhyAFileWasPassedOverIsPartOfIt) {
  SourceState state = kState;
  state.passed_over = PassReason::no_text;
  EXPECT_EQ(parse_source_state(to_text(state)), state);
  state.is_asked_for = true;
  EXPECT_EQ(parse_source_state(to_text(state)), state);
}

TEST(SourceStateTest, OtherTextIsNone) {
  for (const char* text : {"", "1", "2 1 1 1 1 r h", "1 x 1 1 1 r h", "1 1 1 1 1 r", "1 1 1 1 1 r h strange"})
    EXPECT_EQ(parse_source_state(text), std::nullopt) << text;
}

TEST(SourceStateTest, AFileThatWasJustWrittenIsLookedAtAgain) {
  const FileStamp stamp{1, 5'000'000'000, 5'000'000'000, 7};
  EXPECT_NE(stamp_to_note(stamp, 5'001), stamp);
  EXPECT_EQ(stamp_to_note(stamp, 5'100), stamp);
}

}  // namespace
}  // namespace loci
