// Runs of the built program, each test with a home folder of its own.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "api/json.h"
#include "base/temporary_folder.h"

namespace loci::end_to_end {

struct Finished {
  int exit_code = 0;  // 128 + the number of the signal that ended it
  std::string out;
  std::string err;
};

struct RunOptions {
  std::string input = {};
  std::map<std::string, std::string> environment = {};  // on top of the test's own
  std::filesystem::path working_folder = {};            // empty: the test's folder
  // The standard output is a terminal of 80 columns; what would go to it is in `out`.
  bool on_terminal = false;
  // Open this file as the standard output instead of collecting it.
  std::string output_file = {};
  // Run as a user without privileges (only where the test runs as root).
  bool unprivileged = false;
};

// A command line of bash that calls `loci`: for examples in help texts and in the README, and for pipes.
Finished run_shell(const std::string& command, const RunOptions& options, const std::filesystem::path& home);

class EndToEndTest : public testing::Test {
 protected:
  // `loci` with these arguments.
  Finished loci(const std::vector<std::string>& arguments, const RunOptions& options = {});

  // It must succeed; what it wrote.
  std::string ok(const std::vector<std::string>& arguments, const RunOptions& options = {});

  // With --json, which must succeed; the answer.
  Json json(std::vector<std::string> arguments, const RunOptions& options = {});

  // It must fail with this code, say something on the standard error only, and say it in the words given.
  void expect_failure(const std::vector<std::string>& arguments, int exit_code, std::string_view message,
                      const RunOptions& options = {});

  std::filesystem::path folder() const { return folder_.path(); }
  std::filesystem::path home() const { return folder_.path() / "home"; }
  std::filesystem::path palace() const { return home() / "palaces" / "default"; }

  // Paths below the folder, relative to it, in order; with their content, so that two listings compare all of it.
  std::map<std::string, std::string> listing(const std::filesystem::path& below) const;

 private:
  TemporaryFolder folder_;
};

void write(const std::filesystem::path& path, std::string_view content);
std::string read(const std::filesystem::path& path);

}  // namespace loci::end_to_end
