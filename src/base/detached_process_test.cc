#include "base/detached_process.h"

#include <array>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

// Waits until the program has written all of its report.
std::string report_of(const std::filesystem::path& file) {
  for (int i = 0; i < 3000; ++i) {
    const Result<std::string> content = read_file(file);
    if (content.ok() && content->ends_with("done\n")) return *content;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return "no report";
}

TEST(DetachedProcessTest, RunsInASessionOfItsOwnWithNothingOfOurs) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "report";
  // A descriptor that a careless child would inherit.
  const FileDescriptor ours(::open((folder.path() / "ours").c_str(), O_CREAT | O_RDWR, 0600));
  ASSERT_TRUE(ours.is_open());
  const std::array<std::string, 4> arguments = {
      "-c", "{ ls -l /proc/$$/fd; cut -d' ' -f6,19 /proc/$$/stat; pwd; echo \"$1\"; echo done; } > \"$0\"",
      file.string(), "a word with spaces"};
  ASSERT_TRUE(start_detached("/bin/sh", arguments).ok());
  const std::string report = report_of(file);
  EXPECT_EQ(report.find("/ours"), std::string::npos) << report;
  EXPECT_NE(report.find("0 -> /dev/null"), std::string::npos) << report;
  EXPECT_NE(report.find("2 -> /dev/null"), std::string::npos) << report;
  EXPECT_NE(report.find(" 10\n/\na word with spaces\ndone\n"), std::string::npos) << "niceness, folder: " << report;
  EXPECT_EQ(report.find("\n" + std::to_string(::getsid(0)) + " "), std::string::npos) << "another session: " << report;
}

TEST(DetachedProcessTest, SaysWhyAProgramCannotBeStarted) {
  const Status started = start_detached("/no/such/program", {});
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().kind, ErrorKind::not_found);
  EXPECT_NE(started.error().message.find("/no/such/program"), std::string::npos);
}

TEST(DetachedProcessTest, ThisProgramIsATestProgram) {
  EXPECT_NE(this_program()->string().find("loci_base_tests"), std::string::npos);
}

}  // namespace
}  // namespace loci
