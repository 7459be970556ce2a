#include "store/chroma/migrations.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "loci/backend.h"
#include "store/chroma/folder_backend.h"

namespace loci::chroma {
namespace {

using testing::HasSubstr;

class MigrationsTest : public testing::Test {
 protected:
  // Creates a collection with these texts in the palace, which is not there.
  Error error_of_creating(const std::filesystem::path& migrations) const {
    const auto backend = make_chroma_folder_backend({.migrations = migrations});
    const auto created = backend->create_collection(PalaceRef::at(palace_), "c", {});
    return created.ok() ? Error{ErrorKind::internal, "it was created"} : created.error();
  }

  const TemporaryFolder folder_;
  const std::filesystem::path palace_ = folder_.path() / "palace";
};

TEST_F(MigrationsTest, WithoutTheTextsNoFolderIsMadeAndTheErrorNamesWhatFetchesThem) {
  for (const std::filesystem::path& nowhere : {std::filesystem::path(), folder_.path() / "none.sql"}) {
    const Error error = error_of_creating(nowhere);
    EXPECT_EQ(error.kind, ErrorKind::unavailable) << error.message;
    EXPECT_THAT(error.message, HasSubstr("tools/setup.sh chroma-migrations"));
    EXPECT_THAT(error.message, HasSubstr(nowhere.string()));
    EXPECT_FALSE(std::filesystem::exists(palace_));
  }
}

TEST_F(MigrationsTest, OtherTextsAreRefused) {
  const std::filesystem::path file = folder_.path() / "other.sql";
  std::ofstream(file) << std::string(6'613, 'x');
  EXPECT_EQ(error_of_creating(file).kind, ErrorKind::unavailable);
  EXPECT_FALSE(std::filesystem::exists(palace_));
}

TEST_F(MigrationsTest, AnEmptyDatabaseStaysEmptyWithoutTheTexts) {
  std::filesystem::create_directory(palace_);
  std::ofstream(palace_ / "chroma.sqlite3").flush();
  EXPECT_EQ(error_of_creating({}).kind, ErrorKind::unavailable);
  EXPECT_EQ(std::filesystem::file_size(palace_ / "chroma.sqlite3"), 0U);
}

}  // namespace
}  // namespace loci::chroma
