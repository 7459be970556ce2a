#include "cli/progress_line.h"

#include <vector>

#include <gtest/gtest.h>

namespace loci {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ProgressBarTest, SaysHowFarHowFastAndHowLong) {
  EXPECT_EQ(progress_bar({.unit = "records", .done = 1200, .total = 3000}, seconds(2), 100),
            "[#########               ]  40%  1,200 of 3,000 records  600/s  3 s left");
  EXPECT_EQ(progress_bar({.unit = "bytes", .done = 5'000'000, .total = 10'000'000}, seconds(1), 100),
            "[############            ]  50%  5.0 MB of 10 MB  5.0 MB/s  1 s left");
  EXPECT_EQ(progress_bar({.unit = "records", .done = 500, .total = {}}, seconds(1), 100), "500 records  500/s");
}

TEST(ProgressBarTest, FitsNarrowTerminals) {
  const std::string text = progress_bar({.unit = "records", .done = 1200, .total = 3000}, seconds(2), 40);
  EXPECT_LT(display_width(text), 40U);
  EXPECT_EQ(text.find('['), std::string::npos);
}

TEST(ProgressBarTest, OddNumbersAreFine) {
  progress_bar({.unit = "records", .done = 10, .total = 5}, seconds(1), 80);  // others wrote meanwhile
  progress_bar({.unit = "records", .done = 0, .total = 0}, milliseconds(0), 0);
  EXPECT_EQ(progress_bar({.unit = "records", .done = 1, .total = 100'000}, seconds(1), 100),
            "[                        ]   0%  1 of 100,000 records  1/s  27 h 46 min left");
}

class ProgressLineTest : public testing::Test {
 protected:
  ProgressLine make(const Terminal& terminal) {
    return {terminal, [this](std::string_view text) { written_.emplace_back(text); }, start_};
  }

  const ProgressLine::Clock::time_point start_ = ProgressLine::Clock::now();
  const Progress some_ = {.unit = "records", .done = 1, .total = 2};
  std::vector<std::string> written_;
};

TEST_F(ProgressLineTest, OnATerminalItIsDrawnOverAndTakenAway) {
  ProgressLine line = make({.is_terminal = true, .has_colour = false, .can_redraw = true, .width = 60});
  line.show(some_, start_ + milliseconds(100));
  EXPECT_TRUE(written_.empty()) << "work that is over quickly shows nothing";
  line.show(some_, start_ + milliseconds(400));
  line.show(some_, start_ + milliseconds(450));
  ASSERT_EQ(written_.size(), 1U);
  EXPECT_TRUE(written_[0].starts_with('\r'));
  EXPECT_EQ(written_[0].find('\n'), std::string::npos);
  line.clear();
  EXPECT_EQ(written_.back(), "\r" + std::string(59, ' ') + "\r");
}

TEST_F(ProgressLineTest, ElsewhereItIsALineNowAndThen) {
  ProgressLine line = make({});
  line.show(some_, start_ + seconds(1));
  EXPECT_TRUE(written_.empty());
  line.show(some_, start_ + seconds(6));
  line.show(some_, start_ + seconds(7));
  line.show(some_, start_ + seconds(12));
  line.clear();
  ASSERT_EQ(written_.size(), 2U);
  EXPECT_EQ(written_[0], "1 of 2 records  0/s  6 s left\n");
}

}  // namespace
}  // namespace loci
