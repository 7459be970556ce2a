// Real files: this repository's own, and all text below LOCI_TEST_DATA if it is set.
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "text/chunk.h"
#include "text/decode.h"
#include "text/text_type.h"

namespace loci {
namespace {

struct RealFile {
  std::string name;
  std::string text;
  TextType type;
};

constexpr std::uintmax_t kLargestFile = 4'000'000;

void read_below(const std::filesystem::path& folder, std::vector<RealFile>& files) {
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    if (!entry.is_regular_file(error) || entry.file_size(error) > kLargestFile) continue;
    const Result<std::string> bytes = read_file(entry.path());
    if (!bytes.ok()) continue;
    std::optional<Decoded> decoded = decode_text(*bytes);
    if (!decoded || decoded->text.empty()) continue;
    const TextType type = detect_text_type(entry.path().string(), decoded->text.substr(0, 256));
    files.push_back({entry.path().string(), std::move(decoded->text), type});
  }
}

const std::vector<RealFile>& real_files() {
  static const std::vector<RealFile> kFiles = [] {
    std::vector<RealFile> files;
    for (const char* folder : {"src", "docs", "tools", "cmake", "tests"}) {
      read_below(std::filesystem::path(LOCI_SOURCE_FOLDER) / folder, files);
    }
    if (const char* data = std::getenv("LOCI_TEST_DATA"); data != nullptr) read_below(data, files);
    return files;
  }();
  return kFiles;
}

TEST(RealFilesTest, ChunksLaidEndToEndAreTheFile) {
  EXPECT_GT(real_files().size(), 200U);
  for (const RealFile& file : real_files()) {
    std::string together;
    for (const Chunk& chunk : chunk_text(file.text, file.type)) {
      ASSERT_EQ(chunk.byte_start, together.size()) << file.name;
      ASSERT_GT(chunk.byte_end, chunk.byte_start) << file.name;
      together += file.text.substr(chunk.byte_start, chunk.byte_end - chunk.byte_start);
    }
    EXPECT_TRUE(together == file.text) << file.name;
  }
}

// The positions of the cuts, counted from the end of the text, so that they stay when something is put before them.
std::set<std::size_t> cuts_from_the_end(std::string_view text, const TextType& type) {
  std::set<std::size_t> cuts;
  for (const Chunk& chunk : chunk_text(text, type)) cuts.insert(text.size() - chunk.byte_end);
  return cuts;
}

TEST(RealFilesTest, ALineAtTheTopOfEveryFileCutsFewChunksDifferently) {
  std::size_t total = 0;
  std::size_t moved = 0;
  for (const RealFile& file : real_files()) {
    const std::set<std::size_t> before = cuts_from_the_end(file.text, file.type);
    for (const std::size_t cut : cuts_from_the_end("A line at the top\n" + file.text, file.type)) {
      ++total;
      moved += before.contains(cut) ? 0 : 1;
    }
  }
  EXPECT_LE(moved * 20, total) << moved << " of " << total << " chunks end elsewhere";
}

}  // namespace
}  // namespace loci
