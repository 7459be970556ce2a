#include "ops/output_file.h"

#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  TemporaryFolder folder_;
  fs::path path_ = folder_.path() / "out.jsonl";
};

TEST_F(OutputFileTest, AppearsWhenItIsPublished) {
  {
    Result<OutputFile> file = OutputFile::create(path_, IfThere::replace);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("one\n").ok());
    ASSERT_TRUE(file->write("two\n").ok());
    EXPECT_FALSE(fs::exists(path_));
    ASSERT_TRUE(file->publish().ok());
  }
  EXPECT_EQ(*read_file(path_), "one\ntwo\n");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFileTest, TakesNoDatabasesPlace) {
  const std::string database = std::string("SQLite format 3\0", 16) + "rows";
  ASSERT_TRUE(write_file_atomically(path_, database).ok());
  const Result<OutputFile> file = OutputFile::create(path_, IfThere::replace);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(*read_file(path_), database);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFileTest, LeavesTheOldFileUnlessItIsPublished) {
  ASSERT_TRUE(write_file_atomically(path_, "old").ok());
  {
    Result<OutputFile> file = OutputFile::create(path_, IfThere::replace);
    ASSERT_TRUE(file.ok());
    const OutputFile moved = std::move(*file);
  }
  EXPECT_EQ(*read_file(path_), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputFileTest, ReplacesNothingUnlessItShall) {
  Result<OutputFile> file = OutputFile::create(path_, IfThere::fail);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(write_file_atomically(path_, "theirs").ok());
  EXPECT_EQ(OutputFile::create(path_, IfThere::fail).error().kind, ErrorKind::already_exists);
  EXPECT_EQ(file->publish().error().kind, ErrorKind::already_exists) << "it came while ours was written";
  EXPECT_EQ(*read_file(path_), "theirs");
}

TEST_F(OutputFileTest, ReplacesTheFileThatALinkNames) {
  ASSERT_TRUE(write_file_atomically(path_, "old").ok());
  const fs::path link = folder_.path() / "link";
  fs::create_symlink("out.jsonl", link);
  Result<OutputFile> file = OutputFile::create(link, IfThere::replace);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->write("new").ok());
  ASSERT_TRUE(file->publish().ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(*read_file(path_), "new");
}

TEST_F(OutputFileTest, WritesToADeviceDirectly) {
  Result<OutputFile> file = OutputFile::create("/dev/null", IfThere::fail);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->write("x").ok());
  EXPECT_TRUE(file->publish().ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, SaysWhyItCannotBeMade) {
  EXPECT_EQ(OutputFile::create(folder_.path(), IfThere::replace).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(OutputFile::create(folder_.path() / "none" / "out", IfThere::replace).error().kind, ErrorKind::not_found);
  fs::create_symlink("nowhere", path_);
  EXPECT_EQ(OutputFile::create(path_, IfThere::replace).error().kind, ErrorKind::io);
}

TEST_F(OutputFileTest, AFullDiskIsAnError) {
  Result<OutputFile> file = OutputFile::create("/dev/full", IfThere::replace);
  ASSERT_TRUE(file.ok());
  const Status status = file->write("x");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::io);
}

}  // namespace
}  // namespace loci
