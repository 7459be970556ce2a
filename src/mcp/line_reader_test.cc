#include "mcp/line_reader.h"

#include <array>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace loci::mcp {
namespace {

// What a reader with the limit makes of the text, "|" after each line; lines that are too long show as "<too long>".
std::string lines_of(const std::string& text, std::size_t limit_bytes) {
  std::array<int, 2> pipe_ends = {};
  EXPECT_EQ(::pipe(pipe_ends.data()), 0);
  std::thread writer([&] {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t count = ::write(pipe_ends[1], text.data() + at, text.size() - at);
      if (count <= 0) break;
      at += static_cast<std::size_t>(count);
    }
    ::close(pipe_ends[1]);
  });
  LineReader reader(pipe_ends[0], limit_bytes);
  std::string lines;
  while (true) {
    const Result<LineReader::Line> line = reader.next();
    EXPECT_TRUE(line.ok());
    if (!line.ok() || line->state == LineReader::State::end) break;
    lines += line->state == LineReader::State::too_long ? "<too long>" : line->text;
    lines += "|";
  }
  writer.join();
  ::close(pipe_ends[0]);
  return lines;
}

std::string repeated(std::size_t count) { return std::string(count, 'x'); }

TEST(LineReaderTest, GivesLinesAndWhatTheEndCutsOff) {
  EXPECT_EQ(lines_of("", 100), "");
  EXPECT_EQ(lines_of("a\nb\n", 100), "a|b|");
  EXPECT_EQ(lines_of("a\n\nrest", 100), "a||rest|");
}

TEST(LineReaderTest, ThrowsAwayALineThatIsTooLongAndGoesOnWithTheNext) {
  EXPECT_EQ(lines_of(repeated(11).append("\nnext\n"), 10), "<too long>|next|");
  EXPECT_EQ(lines_of(repeated(10).append("\n"), 10), "xxxxxxxxxx|");
  EXPECT_EQ(lines_of(repeated(1'000'000).append("\nnext"), 1000), "<too long>|next|");
  EXPECT_EQ(lines_of(repeated(1'000'000), 1000), "<too long>|");
}

TEST(LineReaderTest, ALineLongerThanOneReadComesWhole) {
  EXPECT_EQ(lines_of(repeated(300'000).append("\nz\n"), 1'000'000), repeated(300'000).append("|z|"));
}

}  // namespace
}  // namespace loci::mcp
