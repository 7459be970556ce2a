#include "ops/line_source.h"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace loci {
namespace {

struct Line {
  std::size_t number;
  std::string text;
  bool is_too_long = false;

  friend bool operator==(const Line&, const Line&) = default;
};

std::vector<Line> lines_of(const std::string& content, std::size_t longest = 1000) {
  std::istringstream input(content);
  LineSource source(input, longest);
  std::vector<Line> lines;
  while (true) {
    const Result<std::optional<SourceLine>> line = source.next();
    EXPECT_TRUE(line.ok());
    if (!line.ok() || !*line) break;
    lines.push_back({(*line)->number, std::string((*line)->text), (*line)->is_too_long});
  }
  EXPECT_EQ(source.bytes(), content.size());
  return lines;
}

TEST(LineSourceTest, NumbersLinesAndLeavesEmptyOnesOut) {
  EXPECT_EQ(lines_of("a\n\n  \r\nb\r\nc"), (std::vector<Line>{{1, "a"}, {4, "b\r"}, {5, "c"}}));
  EXPECT_EQ(lines_of(""), std::vector<Line>{});
  EXPECT_EQ(lines_of("\n\n"), std::vector<Line>{});
  EXPECT_EQ(lines_of("a\n"), (std::vector<Line>{{1, "a"}}));
}

TEST(LineSourceTest, LeavesAByteOrderMarkOut) {
  EXPECT_EQ(lines_of("\xef\xbb\xbf{}\n\xef\xbb\xbf{}"), (std::vector<Line>{{1, "{}"}, {2, "\xef\xbb\xbf{}"}}));
}

TEST(LineSourceTest, SkipsALineThatIsTooLong) {
  const std::string just(10, 'a');
  EXPECT_EQ(lines_of(just + "\n" + just + "b\nc\n", 10), (std::vector<Line>{{1, just}, {2, "", true}, {3, "c"}}));
  EXPECT_EQ(lines_of("a\n" + just + "b", 10), (std::vector<Line>{{1, "a"}, {2, "", true}}));
}

TEST(LineSourceTest, ReadsLinesThatCrossItsBuffer) {
  std::string content;
  std::vector<Line> expected;
  for (std::size_t i = 0; i < 40; ++i) {
    const std::string text(i * 7919, static_cast<char>('a' + i % 26));
    content += text + "\n";
    if (i != 0) expected.push_back({i + 1, text});
  }
  EXPECT_EQ(lines_of(content, 1 << 20), expected);
  for (Line& line : expected) {
    line.is_too_long = line.text.size() > 100'000;
    if (line.is_too_long) line.text.clear();
  }
  EXPECT_EQ(lines_of(content, 100'000), expected);
}

TEST(LineSourceTest, AStreamThatBreaksIsAnError) {
  struct BrokenBuffer : std::streambuf {
    int_type underflow() override { throw std::runtime_error("gone"); }
  } buffer;
  std::istream input(&buffer);
  LineSource source(input, 10);
  const Result<std::optional<SourceLine>> line = source.next();
  ASSERT_FALSE(line.ok());
  EXPECT_EQ(line.error().kind, ErrorKind::io);
}

}  // namespace
}  // namespace loci
