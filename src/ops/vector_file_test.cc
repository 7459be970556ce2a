#include "ops/vector_file.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"

namespace loci {
namespace {

class VectorFileTest : public testing::Test {
 protected:
  void write(const std::vector<float>& values, std::size_t extra_bytes = 0) {
    std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    bytes.append(extra_bytes, 'x');
    ASSERT_TRUE(write_file_atomically(path(), bytes).ok());
  }
  std::string refusal(std::size_t dimension) {
    const Result<VectorFile> file = VectorFile::open(path(), dimension);
    if (file.ok()) return "";
    EXPECT_EQ(file.error().kind, ErrorKind::invalid_argument);
    return file.error().message;
  }
  std::filesystem::path path() const { return folder_.path() / "rows.f32"; }

  TemporaryFolder folder_;
};

TEST_F(VectorFileTest, RowsAreReadAsTheyStand) {
  write({1, 2, 3, 4, 5, 6});
  const Result<VectorFile> file = VectorFile::open(path(), 3);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->rows(), 2U);
  EXPECT_EQ(std::vector<float>(file->row(1).begin(), file->row(1).end()), (std::vector<float>{4, 5, 6}));
}

TEST_F(VectorFileTest, WhatIsNoVectorsIsRefusedAndNamed) {
  EXPECT_EQ(VectorFile::open(path(), 3).error().kind, ErrorKind::not_found);
  write({});
  EXPECT_NE(refusal(3).find("is empty"), std::string::npos);
  write({1, 2, 3, 4});
  EXPECT_NE(refusal(3).find("16 bytes, which are no whole rows of 3 float32"), std::string::npos) << refusal(3);
  write({1, 2, 3}, 2);
  EXPECT_NE(refusal(3).find("no whole rows"), std::string::npos);
  write({1, 2, std::numeric_limits<float>::quiet_NaN(), 4});
  EXPECT_NE(refusal(2).find("row 1"), std::string::npos);
  write({0, 0, 1, 1});
  EXPECT_NE(refusal(2).find("only zeros in row 0"), std::string::npos);
  EXPECT_NE(refusal(0).find("at least one dimension"), std::string::npos);
}

}  // namespace
}  // namespace loci
