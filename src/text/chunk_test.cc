#include "text/chunk.h"

#include <string>

#include <gtest/gtest.h>

namespace loci {
namespace {

std::size_t code_points_in(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) count += (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U ? 0 : 1;
  return count;
}

std::vector<std::string> chunks_of(std::string_view text, const TextType& type, std::size_t target) {
  std::vector<std::string> chunks;
  for (const Chunk& chunk : chunk_text(text, type, {.target_characters = target})) {
    chunks.emplace_back(text.substr(chunk.byte_start, chunk.byte_end - chunk.byte_start));
  }
  return chunks;
}

TEST(ChunkTest, AnEmptyTextHasNoChunks) { EXPECT_TRUE(chunk_text("", {}).empty()); }

TEST(ChunkTest, AShortTextIsOneChunk) {
  EXPECT_EQ(chunk_text("a\nb\n", {}), (std::vector<Chunk>{{0, 4, 1, 2}}));
  EXPECT_EQ(chunk_text("a\nb", {}), (std::vector<Chunk>{{0, 3, 1, 2}}));
  EXPECT_EQ(chunk_text("\n", {}), (std::vector<Chunk>{{0, 1, 1, 1}}));
}

TEST(ChunkTest, LinesAreCountedFromOneAndByWhatEndsThem) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "line " + std::to_string(i) + "\r\n\r\n";
  std::size_t next_line = 1;
  for (const Chunk& chunk : chunk_text(text, {})) {
    EXPECT_EQ(chunk.line_start, next_line);
    next_line = chunk.line_end + 1;
  }
  EXPECT_EQ(next_line, 401U);
  EXPECT_EQ(chunk_text("a\rb\rc", {}).back().line_end, 3U) << "a text that has CR alone";
  EXPECT_EQ(chunk_text("a\rb\nc", {}).back().line_end, 2U) << "a CR inside a line";
}

TEST(ChunkTest, PlainTextIsCutAtParagraphs) {
  const std::string paragraph = "Words that say something, and more of them.\n";
  const std::string text = paragraph + paragraph + "\n" + paragraph + paragraph + "\n\n" + paragraph + paragraph;
  for (const std::string& chunk : chunks_of(text, {}, 100)) EXPECT_EQ(code_points_in(chunk) / 88, 1U) << chunk;
}

TEST(ChunkTest, ALongParagraphIsCutAtSentences) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "Dr. Who said e.g. number " + std::to_string(i) + " was \"late.\" ";
  const std::vector<std::string> chunks = chunks_of(text, {}, 100);
  EXPECT_GT(chunks.size(), 10U);
  for (const std::string& chunk : chunks) EXPECT_TRUE(chunk.starts_with("Dr. Who")) << chunk;
}

TEST(ChunkTest, SentencesWithoutSpacesAreFound) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "吾輩は猫である。「名前はまだ無い。」";
  for (const std::string& chunk : chunks_of(text, {}, 100)) {
    EXPECT_TRUE(chunk.starts_with("吾輩") || chunk.starts_with("「")) << chunk;
    EXPECT_LE(code_points_in(chunk), 150U);
  }
}

TEST(ChunkTest, TextWithoutSpacesIsCutBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "e\u0301\u0302";  // one letter with two accents
  const std::vector<std::string> chunks = chunks_of(text, {}, 100);
  EXPECT_GE(chunks.size(), 10U);
  for (const std::string& chunk : chunks) EXPECT_EQ(chunk.front(), 'e');
}

TEST(ChunkTest, AClusterWithoutEndIsCutAllTheSame) {
  std::string text = "e";
  for (int i = 0; i < 1000; ++i) text += "\u0301";
  for (const std::string& chunk : chunks_of(text, {}, 100)) EXPECT_LE(code_points_in(chunk), 150U);
}

TEST(ChunkTest, SizesStayBetweenHalfAndOneAndAHalfTargets) {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += std::string(static_cast<std::size_t>(i * 7919 % 97), 'x') + (i % 5 == 0 ? "\n\n" : ". Y");
  for (const std::size_t target : {16U, 100U, 800U, 5000U}) {
    for (const std::string& chunk : chunks_of(text, {}, target)) {
      EXPECT_GE(code_points_in(chunk), target / 2);
      EXPECT_LE(code_points_in(chunk), target + target / 2);
    }
  }
}

}  // namespace
}  // namespace loci
