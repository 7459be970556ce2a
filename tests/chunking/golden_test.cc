// Small files of each kind and where they are cut, as a reader agreed to. Beside `golden/x.py` stands
// `golden/x.py.cuts`: a line for each chunk with its lines and its first words.
//
// When a rule changes on purpose, LOCI_WRITE_GOLDEN=1 writes the .cuts files anew, and the diff is to be read.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "text/chunk.h"
#include "text/text_type.h"

namespace loci {
namespace {

constexpr std::size_t kTarget = 240;  // small, so that short files have many cuts

std::string first_words(std::string_view chunk) {
  constexpr std::size_t kShown = 60;
  const std::size_t first = chunk.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  const std::string_view line = chunk.substr(first, chunk.find_first_of("\r\n", first) - first);
  return std::string(line.substr(0, kShown));
}

std::string cuts_of(const std::string& name, std::string_view text) {
  std::string cuts;
  const TextType type = detect_text_type(name, text.substr(0, 256));
  for (const Chunk& chunk : chunk_text(text, type, {.target_characters = kTarget})) {
    cuts += std::to_string(chunk.line_start) + "-" + std::to_string(chunk.line_end) + ": " +
            first_words(text.substr(chunk.byte_start, chunk.byte_end - chunk.byte_start)) + "\n";
  }
  return cuts;
}

std::vector<std::string> golden_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(LOCI_GOLDEN_FOLDER)) {
    if (entry.path().extension() != ".cuts") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class GoldenChunkTest : public testing::TestWithParam<std::string> {};

TEST_P(GoldenChunkTest, IsCutWhereAReaderWould) {
  const std::filesystem::path file = std::filesystem::path(LOCI_GOLDEN_FOLDER) / GetParam();
  const Result<std::string> text = read_file(file);
  ASSERT_TRUE(text.ok()) << text.error().message;
  const std::string cuts = cuts_of(GetParam(), *text);
  const std::filesystem::path expected_file = file.string() + ".cuts";
  if (std::getenv("LOCI_WRITE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file_atomically(expected_file, cuts).ok());
  }
  const Result<std::string> expected = read_file(expected_file);
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  EXPECT_EQ(cuts, *expected);
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenChunkTest, testing::ValuesIn(golden_files()), [](const auto& name) {
  std::string word = name.param;
  for (char& character : word) {
    if (character == '.' || character == '-') character = '_';
  }
  return word;
});

}  // namespace
}  // namespace loci
