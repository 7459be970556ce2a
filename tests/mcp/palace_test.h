// A palace that does not exist yet, in a folder of its own.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "tests/mcp/test_client.h"

namespace loci::mcp {

class PalaceTest : public testing::Test {
 protected:
  std::filesystem::path palace() const { return folder_.path() / "palace"; }
  // A file beside the palace.
  void write(const std::filesystem::path& name, const std::string& content) const {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name) << content;
  }

  TemporaryFolder folder_;
};

}  // namespace loci::mcp
