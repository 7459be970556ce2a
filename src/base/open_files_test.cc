#include "base/open_files.h"

#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary_folder.h"

namespace loci {
namespace {

TEST(OpenFilesTest, AFileThatAnotherProgramHasOpenIsSeen) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "data";
  std::ofstream(file) << "x";
  EXPECT_FALSE(file_opened_by_others(folder.path()).has_value());
  const pid_t child = ::fork();
  if (child == 0) {
    if (::dup2(::open(file.c_str(), O_RDONLY), STDIN_FILENO) >= 0) ::execlp("sleep", "sleep", "60", nullptr);
    ::_exit(1);
  }
  std::optional<OpenFile> seen;
  for (int i = 0; i < 500 && !seen; ++i) {  // until the child is that other program
    seen = file_opened_by_others(folder.path());
    ::usleep(10'000);
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->process, child);
  EXPECT_EQ(seen->path.filename(), "data");
  EXPECT_FALSE(file_opened_by_others(folder.path()).has_value());
}

TEST(OpenFilesTest, OurOwnFilesAndMissingFoldersAreNobodyElses) {
  const TemporaryFolder folder;
  const std::ofstream ours(folder.path() / "data");
  EXPECT_FALSE(file_opened_by_others(folder.path()).has_value());
  EXPECT_FALSE(file_opened_by_others(folder.path() / "missing").has_value());
}

}  // namespace
}  // namespace loci
