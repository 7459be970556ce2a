#include "ingest/read_source.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

PassReason reason_of(const std::variant<FileBytes, PassedOver>& outcome) {
  EXPECT_TRUE(std::holds_alternative<PassedOver>(outcome));
  return std::get<PassedOver>(outcome).reason;
}

TEST(ReadSourceTest, GivesTheBytesAndTheStampThatGoWithThem) {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "a";
  ASSERT_TRUE(write_file_atomically(path, std::string("a\0b\xFF", 4)).ok());
  const auto outcome = read_source(path, 100);
  ASSERT_TRUE(std::holds_alternative<FileBytes>(outcome));
  EXPECT_EQ(std::get<FileBytes>(outcome).bytes, std::string("a\0b\xFF", 4));
  EXPECT_EQ(std::get<FileBytes>(outcome).stamp.size_bytes, 4U);
}

TEST(ReadSourceTest, SaysWhyThereIsNothing) {
  const TemporaryFolder folder;
  EXPECT_EQ(reason_of(read_source(folder.path() / "gone", 100)), PassReason::vanished);
  const std::string pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(reason_of(read_source(pipe, 100)), PassReason::special_file);
  const std::string large = folder.path() / "large";
  ASSERT_TRUE(write_file_atomically(large, "12345").ok());
  EXPECT_EQ(reason_of(read_source(large, 4)), PassReason::too_large);
  std::filesystem::create_symlink(large, folder.path() / "link");
  EXPECT_EQ(reason_of(read_source(folder.path() / "link", 100)), PassReason::unreadable);
}

TEST(ReadSourceTest, AFileThatHasFewerBytesThanItSaysIsChanging) {
  // The kernel says 4,096 bytes of such a file and gives a few, as a file does that shrinks while it is read.
  const std::string path = "/sys/kernel/mm/transparent_hugepage/enabled";
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || status.st_size == 0) GTEST_SKIP() << path << " is not there";
  EXPECT_EQ(reason_of(read_source(path, 10'000)), PassReason::changed);
}

}  // namespace
}  // namespace loci
