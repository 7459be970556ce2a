#include "base/mapped_file.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFileTest, HasTheBytesOfTheFile) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder.path() / "file", "some bytes").ok());
  Result<MappedFile> file = MappedFile::open(folder.path() / "file");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(text_of(*file), "some bytes");
}

TEST(MappedFileTest, KeepsTheBytesWhenMovedAndAfterTheFileIsReplaced) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder.path() / "file", "old").ok());
  Result<MappedFile> file = MappedFile::open(folder.path() / "file");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(write_file_atomically(folder.path() / "file", "new").ok());
  const MappedFile moved = std::move(*file);
  EXPECT_EQ(text_of(moved), "old");
}

TEST(MappedFileTest, AnEmptyFileHasNoBytes) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder.path() / "file", "").ok());
  Result<MappedFile> file = MappedFile::open(folder.path() / "file");
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->bytes().empty());
}

TEST(MappedFileTest, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(MappedFile::open(folder.path() / "missing").error().kind, ErrorKind::not_found);
  EXPECT_EQ(MappedFile::open(folder.path()).error().kind, ErrorKind::invalid_argument);
}

}  // namespace
}  // namespace loci
