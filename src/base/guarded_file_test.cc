#include "base/guarded_file.h"

#include <csignal>
#include <cstdlib>
#include <numeric>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/temporary_folder.h"

namespace loci {
namespace {

constexpr std::size_t kSize = 64 * 1024;

class GuardedFileTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(write_file_atomically(path_, std::string(kSize, 'x')).ok()); }
  static std::uint64_t sum(std::span<const std::uint8_t> bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "file";
};

TEST_F(GuardedFileTest, ReadsTheFileAndIsWhole) {
  const auto file = GuardedFile::open(path_);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(sum((*file)->bytes()), kSize * 'x');
  EXPECT_TRUE((*file)->is_whole());
}

TEST_F(GuardedFileTest, PagesThatWereLetGoReadTheSameAgain) {
  const auto file = GuardedFile::open(path_);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(sum((*file)->bytes()), kSize * 'x');
  (*file)->let_go();
  EXPECT_EQ(sum((*file)->bytes()), kSize * 'x');
  EXPECT_TRUE((*file)->is_whole());
}

TEST_F(GuardedFileTest, AFileThatIsCutOffReadsAsZerosAndIsNotWhole) {
  const auto file = GuardedFile::open(path_);
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(::truncate(path_.c_str(), 4096), 0);
  EXPECT_EQ(sum((*file)->bytes()), std::uint64_t{4096} * 'x');
  EXPECT_FALSE((*file)->is_whole());
}

TEST_F(GuardedFileTest, ACutWithinThePageThatIsReadIsNoticedWithoutASignal) {
  const auto file = GuardedFile::open(path_);
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(::truncate(path_.c_str(), kSize - 10), 0);
  EXPECT_FALSE((*file)->is_whole());
}

TEST_F(GuardedFileTest, AnotherMappingStaysWhole) {
  const std::filesystem::path other_path = folder_.path() / "other";
  ASSERT_TRUE(write_file_atomically(other_path, std::string(kSize, 'y')).ok());
  const auto file = GuardedFile::open(path_);
  const auto other = GuardedFile::open(other_path);
  ASSERT_TRUE(file.ok() && other.ok());
  ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
  EXPECT_EQ(sum((*file)->bytes()), 0U);
  EXPECT_TRUE((*other)->is_whole());
  EXPECT_EQ(sum((*other)->bytes()), kSize * 'y');
}

TEST_F(GuardedFileTest, WhatIsMissingOrNoFileIsAnError) {
  EXPECT_EQ(GuardedFile::open(folder_.path() / "missing").error().kind, ErrorKind::not_found);
  EXPECT_EQ(GuardedFile::open(folder_.path()).error().kind, ErrorKind::invalid_argument);
}

// A bus error that is not ours still ends the process.
TEST_F(GuardedFileTest, ABusErrorElsewhereIsPassedOn) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        const auto file = GuardedFile::open(path_);
        std::raise(SIGBUS);
        std::raise(SIGBUS);
        std::exit(file.ok() ? 0 : 1);
      },
      "");
}

}  // namespace
}  // namespace loci
