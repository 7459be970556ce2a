#include "base/file.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary_folder.h"
#include "base/utf8.h"

namespace loci {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_.path() / name; }

  void put(const std::string& name, const std::string& content) { std::ofstream(path(name)) << content; }

  static mode_t mode_of(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
  }

  std::ptrdiff_t entry_count() const {
    return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  }

  TemporaryFolder folder_;
};

TEST_F(FileTest, ReadsTheWholeFile) {
  std::string content(100'000, 'x');
  content[50'000] = '\0';
  put("file", content);
  EXPECT_EQ(*read_file(path("file")), content);
}

TEST_F(FileTest, ReadsAnEmptyFile) {
  put("file", "");
  EXPECT_EQ(*read_file(path("file")), "");
}

TEST_F(FileTest, ReadsAFileThatDoesNotTellItsSize) { EXPECT_FALSE(read_file("/proc/self/status")->empty()); }

TEST_F(FileTest, ReadsAFileOfExactlyTheLimit) {
  put("file", "12345");
  EXPECT_EQ(*read_file(path("file"), 5), "12345");
}

TEST_F(FileTest, RefusesAFileLongerThanTheLimit) {
  put("file", "123456");
  const Result<std::string> content = read_file(path("file"), 5);
  ASSERT_FALSE(content.ok());
  EXPECT_EQ(content.error().kind, ErrorKind::invalid_argument);
  EXPECT_THAT(content.error().message, HasSubstr("larger than 5 bytes"));
}

TEST_F(FileTest, ReadingAMissingFileIsNotFound) {
  const Result<std::string> content = read_file(path("missing"));
  ASSERT_FALSE(content.ok());
  EXPECT_EQ(content.error().kind, ErrorKind::not_found);
  EXPECT_THAT(content.error().message, HasSubstr(path("missing").native()));
}

TEST_F(FileTest, ReadingAFolderIsRefused) {
  const Result<std::string> content = read_file(folder_.path());
  ASSERT_FALSE(content.ok());
  EXPECT_THAT(content.error().message, HasSubstr("it is a folder"));
}

TEST_F(FileTest, ReadingAPipeWithoutWriterDoesNotHang) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(read_file(path("pipe")).ok());
}

TEST_F(FileTest, WritesAFileThatCanBeReadBack) {
  ASSERT_TRUE(write_file_atomically(path("file"), "text").ok());
  EXPECT_EQ(*read_file(path("file")), "text");
  EXPECT_EQ(entry_count(), 1);
}

TEST_F(FileTest, AWrittenFileIsPrivateUnlessToldOtherwise) {
  ASSERT_TRUE(write_file_atomically(path("private"), "").ok());
  ASSERT_TRUE(write_file_atomically(path("shared"), "", 0664).ok());
  EXPECT_EQ(mode_of(path("private")), 0600U);
  EXPECT_EQ(mode_of(path("shared")), 0664U);
}

TEST_F(FileTest, WritingReplacesTheOldContent) {
  put("file", "a longer text than the new one");
  ASSERT_TRUE(write_file_atomically(path("file"), "new").ok());
  EXPECT_EQ(*read_file(path("file")), "new");
}

TEST_F(FileTest, WritingThroughALinkKeepsTheLink) {
  put("target", "old");
  fs::create_symlink("target", path("link"));
  ASSERT_TRUE(write_file_atomically(path("link"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(*read_file(path("target")), "new");
}

TEST_F(FileTest, WritesAFileWithTheLongestName) {
  const std::string name(255, 'n');
  ASSERT_TRUE(write_file_atomically(path(name), "text").ok());
  EXPECT_EQ(*read_file(path(name)), "text");
}

TEST_F(FileTest, AFailedWriteLeavesTheOldFileAndNoTemporaryOne) {
  put("file", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);  // the write fails with EFBIG instead, as a full disk fails with ENOSPC
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Status status = write_file_atomically(path("file"), std::string(100'000, 'x'));
    ::_exit(!status.ok() && status.error().message.find("ulimit -f") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(*read_file(path("file")), "old");
  EXPECT_EQ(entry_count(), 1);
}

TEST_F(FileTest, AFileCannotReplaceAFolder) {
  fs::create_directory(path("folder"));
  EXPECT_FALSE(write_file_atomically(path("folder"), "text").ok());
  EXPECT_EQ(entry_count(), 1);
}

TEST_F(FileTest, MakesEveryMissingFolderPrivate) {
  ASSERT_TRUE(make_private_folder(path("a/b/c")).ok());
  for (const char* name : {"a", "a/b", "a/b/c"}) EXPECT_EQ(mode_of(path(name)), 0700U) << name;
}

TEST_F(FileTest, MakingAFolderAcceptsASlashAtTheEnd) {
  ASSERT_TRUE(make_private_folder(path("a/b/")).ok());
  EXPECT_TRUE(fs::is_directory(path("a/b")));
}

TEST_F(FileTest, MakingAnExistingFolderLeavesItAsItIs) {
  fs::create_directory(path("folder"));
  fs::permissions(path("folder"), fs::perms(0755));
  ASSERT_TRUE(make_private_folder(path("folder")).ok());
  EXPECT_EQ(mode_of(path("folder")), 0755U);
}

TEST_F(FileTest, MakingAFolderAcceptsALinkToAFolder) {
  fs::create_directory(path("folder"));
  fs::create_directory_symlink("folder", path("link"));
  EXPECT_TRUE(make_private_folder(path("link")).ok());
  EXPECT_TRUE(make_private_folder(path("link/sub")).ok());
}

TEST_F(FileTest, AFileInPlaceOfAFolderIsNamed) {
  put("file", "");
  const Status status = make_private_folder(path("file"));
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr(path("file").native() + ": a file has this name"));
}

TEST_F(FileTest, AFileAboveAFolderIsAnError) {
  put("file", "");
  const Status status = make_private_folder(path("file/folder"));
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("a part of the path is a file"));
}

TEST_F(FileTest, ALinkToNothingIsNamed) {
  fs::create_symlink("missing", path("link"));
  const Status status = make_private_folder(path("link"));
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("a symbolic link to nothing"));
}

TEST_F(FileTest, LinksThatGoRoundAreNamed) {
  fs::create_symlink("two", path("one"));
  fs::create_symlink("one", path("two"));
  const Status status = make_private_folder(path("one"));
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("go round in a circle"));
  EXPECT_THAT(write_file_atomically(path("one"), "").error().message, HasSubstr("go round in a circle"));
}

TEST_F(FileTest, AFolderWithoutNameIsRefused) { EXPECT_FALSE(make_private_folder("").ok()); }

TEST_F(FileTest, AFolderThatMayNotBeWrittenIsNamed) {
  fs::create_directory(path("parent"));
  fs::permissions(path("parent"), fs::perms(0500));
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;  // root may write everywhere, so it must not be root
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(2);
    const Status status = make_private_folder(path("parent/folder"));
    ::_exit(!status.ok() && status.error().message.find("permission denied") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(FileTest, WhatIsInsideAFolderIsSoByEveryName) {
  const fs::path palace = folder_.path() / "palace";
  fs::create_directories(palace / "below");
  fs::create_directory_symlink(palace, folder_.path() / "link");
  for (const char* inside : {"palace", "palace/new", "palace/below/new", "link/new", "palace/../palace/new"}) {
    EXPECT_TRUE(is_inside(folder_.path() / inside, folder_.path() / "link")) << inside;
  }
  EXPECT_TRUE(is_inside("not there", fs::current_path()));
  for (const char* outside : {"new", "palace2/new", "palace/../new", "link/../new", ".."}) {
    EXPECT_FALSE(is_inside(folder_.path() / outside, palace)) << outside;
  }
}

TEST(IoErrorTest, SaysWhatWhichAndWhatToDo) {
  const Error error = io_error("cannot write", "/p/palace.db", ENOSPC);
  EXPECT_EQ(error.kind, ErrorKind::io);
  EXPECT_EQ(error.message, "cannot write /p/palace.db: the disk is full; free some space and try again");
}

TEST(IoErrorTest, TheKindTellsMissingAndBusyFromTheRest) {
  EXPECT_EQ(io_error("cannot read", "x", ENOENT).kind, ErrorKind::not_found);
  EXPECT_EQ(io_error("cannot read", "x", EAGAIN).kind, ErrorKind::busy);
  EXPECT_EQ(io_error("cannot read", "x", EROFS).kind, ErrorKind::io);
}

TEST(IoErrorTest, EveryErrnoHasWords) {
  for (int errno_value = 1; errno_value < 134; ++errno_value) {
    EXPECT_GT(io_error("cannot read", "x", errno_value).message.size(), std::string("cannot read x: ").size());
  }
}

TEST(IoErrorTest, ANameThatIsNotUtf8IsShownAllTheSame) {
  const Error error = io_error("cannot read", "a\xFF\n", ENOENT);
  EXPECT_TRUE(is_valid_utf8(error.message));
  EXPECT_EQ(error.message.find('\n'), std::string::npos);
}

class ExpandHomeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* home = std::getenv("HOME")) old_home_ = home;
    ::setenv("HOME", "/home/ann", 1);
  }
  void TearDown() override { ::setenv("HOME", old_home_.c_str(), 1); }

  std::string old_home_;
};

TEST_F(ExpandHomeTest, PutsTheHomeFolderInPlaceOfTheTilde) {
  EXPECT_EQ(expand_home("~"), "/home/ann");
  EXPECT_EQ(expand_home("~/"), "/home/ann");
  EXPECT_EQ(expand_home("~/notes/a"), "/home/ann/notes/a");
}

TEST_F(ExpandHomeTest, LeavesOtherPathsAlone) {
  for (const char* path : {"", "/tmp", "notes", "a/~", "~bob/notes", "~~"}) EXPECT_EQ(expand_home(path), path);
}

TEST_F(ExpandHomeTest, AsksThePasswordFileWhenTheVariableIsMissing) {
  ::unsetenv("HOME");
  EXPECT_NE(expand_home("~/notes"), "~/notes");
}

TEST(WriteWithoutWaitingTest, WritesWhatThereIsRoomFor) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const FileDescriptor read(ends[0]);
  const FileDescriptor write(ends[1]);
  const int room = ::fcntl(write.get(), F_SETPIPE_SZ, 4096);
  ASSERT_GT(room, 0);
  const std::string text(static_cast<std::size_t>(room) * 2, 'x');
  const ssize_t written = write_without_waiting(write.get(), text);
  if (written < 0 && errno == EOPNOTSUPP) GTEST_SKIP() << "this kernel cannot";
  EXPECT_EQ(written, room);
  EXPECT_EQ(write_without_waiting(write.get(), text), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST(FileDescriptorTest, ClosesWhatItOwns) {
  int number = -1;
  {
    const FileDescriptor descriptor(::open("/dev/null", O_RDONLY));
    number = descriptor.get();
    ASSERT_TRUE(descriptor.is_open());
  }
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

TEST(FileDescriptorTest, IsEmptyAfterAMove) {
  FileDescriptor first(::open("/dev/null", O_RDONLY));
  const int number = first.get();
  const FileDescriptor second = std::move(first);
  EXPECT_EQ(second.get(), number);
  EXPECT_FALSE(first.is_open());  // NOLINT(bugprone-use-after-move): this is the question
}

}  // namespace
}  // namespace loci
