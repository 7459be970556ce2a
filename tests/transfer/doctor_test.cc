// What the doctor says of a palace, healthy or not.
#include "ops/doctor.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "store/embedded/embedded_backend.h"

namespace loci::transfer {
namespace {

namespace fs = std::filesystem;

class DoctorTest : public testing::Test {
 protected:
  DoctorTest() {
    request_.palace = PalaceRef::at(folder_.path() / "palace");
    request_.program_version = "1.2.3";
    request_.backend_reason = "by default";
  }

  void fill(std::string_view collection, const std::vector<Record>& records) {
    const Result<std::shared_ptr<Collection>> opened = backend_->collection(
        request_.palace, collection, {.if_missing = IfMissing::create, .embed_text = EmbedText::later});
    ASSERT_TRUE(opened.ok());
    ASSERT_TRUE((*opened)->add(records).ok());
  }

  // The check of that name; it fails the test when there is none.
  Check check(std::string_view name) {
    checks_ = diagnose(backend_.get(), request_);
    const auto found =
        std::find_if(checks_.begin(), checks_.end(), [&](const Check& entry) { return entry.name == name; });
    EXPECT_NE(found, checks_.end()) << name;
    return found == checks_.end() ? Check{} : *found;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = make_embedded_backend();
  DoctorRequest request_;
  std::vector<Check> checks_;
};

TEST_F(DoctorTest, TheRecordOfAMigrationIsNoCollectionOfDrawers) {
  fill("drawers", {{.id = "a", .document = "x"}});
  fill("loci_migrations", {{.id = "migration", .document = "x"}});
  check("collection drawers");
  for (const Check& entry : checks_) EXPECT_NE(entry.name, "collection loci_migrations");
}

TEST_F(DoctorTest, AHealthyPalaceIsAllOk) {
  fill("drawers", {{.id = "a", .document = "x"}});
  EXPECT_EQ(check("program").detail, "loci 1.2.3");
  EXPECT_EQ(check("backend").detail, "loci, spec 1.0 (by default)");
  EXPECT_EQ(check("palace").detail, request_.palace.id);
  EXPECT_EQ(check("permissions").detail, "0700, for its owner alone");
  EXPECT_EQ(check("schema").state, CheckState::ok);
  EXPECT_EQ(check("sqlite").detail.substr(0, 2), "3.");
  EXPECT_EQ(check("collection drawers").detail, "1 record, cosine, no model yet, 1 record waits for its vector");
  for (const Check& entry : checks_) {
    if (entry.name == "disk space") continue;  // of the machine that runs the test
    EXPECT_EQ(entry.state, CheckState::ok) << entry.name << ": " << entry.detail;
  }
}

TEST_F(DoctorTest, TheVectorIndexIsShownWithTheRecallThatWasMeasured) {
  backend_ = make_embedded_backend({.first_rows = 100, .tail_rows = 10});
  std::vector<Record> records;
  for (int i = 0; i < 200; ++i) {
    const auto angle = static_cast<float>(i);
    records.push_back({.id = std::to_string(i), .document = "x", .embedding = Embedding{angle, 1, angle * angle, 7}});
  }
  fill("drawers", records);
  const Check behind = check("vector index");
  EXPECT_EQ(behind.state, CheckState::warning);
  EXPECT_EQ(
      behind.detail,
      "exact scan, 200 records are compared one by one; it is behind, so that searches are slower than they need be");
  ASSERT_EQ(*(*backend_->collection(request_.palace, "drawers", {}))->index_pending(), 200U);
  EXPECT_EQ(check("vector index").state, CheckState::ok);
  const std::string detail = check("vector index").detail;
  EXPECT_EQ(detail.substr(0, 25), "1 segment of 200 records,");
  EXPECT_NE(detail.find("measured recall at 10 1.0000"), std::string::npos) << detail;
  for (const auto& entry : fs::directory_iterator(folder_.path() / "palace" / "index"))
    fs::resize_file(entry.path(), 9);
  EXPECT_EQ(check("vector index").state, CheckState::warning);
  EXPECT_NE(check("vector index").fix.find("reindex"), std::string::npos);
}

TEST_F(DoctorTest, AMissingPalaceIsSaidAndNotCreated) {
  const Check palace = check("palace");
  EXPECT_EQ(palace.state, CheckState::warning);
  EXPECT_NE(palace.fix.find("loci init"), std::string::npos);
  EXPECT_FALSE(fs::exists(*request_.palace.local_path));
}

TEST_F(DoctorTest, AnEmptyFolderIsNoPalace) {
  fs::create_directory(*request_.palace.local_path);
  EXPECT_EQ(check("content").state, CheckState::warning);
  EXPECT_TRUE(fs::is_empty(*request_.palace.local_path));
}

TEST_F(DoctorTest, AFileInPlaceOfThePalaceIsAProblem) {
  ASSERT_TRUE(write_file_atomically(*request_.palace.local_path, "x").ok());
  EXPECT_EQ(check("palace").state, CheckState::problem);
}

TEST_F(DoctorTest, ADatabaseThatIsNoneIsAProblemAndStaysAsItIs) {
  fill("drawers", {{.id = "a", .document = "x"}});
  backend_->close();
  backend_ = make_embedded_backend();
  const fs::path database = *request_.palace.local_path / "palace.db";
  const std::string junk(8192, 'x');
  ASSERT_TRUE(write_file_atomically(database, junk).ok());
  EXPECT_EQ(check("content").state, CheckState::problem);
  EXPECT_EQ(worst(checks_), CheckState::problem);
  EXPECT_EQ(*read_file(database), junk);
}

TEST_F(DoctorTest, NothingIsWrittenBesideTheDatabase) {
  fill("drawers", {{.id = "a", .document = "x"}});
  backend_->close();
  backend_ = make_embedded_backend();
  EXPECT_EQ(check("collection drawers").state, CheckState::ok);
  for (const char* suffix : {"-wal", "-shm"}) EXPECT_FALSE(fs::exists(request_.palace.id + "/palace.db" + suffix));
}

TEST_F(DoctorTest, FilesThatOthersMayReadAreAWarning) {
  fill("drawers", {});
  const fs::path database = *request_.palace.local_path / "palace.db";
  fs::permissions(database, fs::perms::others_read, fs::perm_options::add);
  const Check permissions = check("permissions");
  EXPECT_EQ(permissions.state, CheckState::warning);
  EXPECT_NE(permissions.detail.find("palace.db"), std::string::npos);
  EXPECT_NE(permissions.fix.find("chmod"), std::string::npos);
}

TEST_F(DoctorTest, ModelsAreCompared) {
  fill("drawers", {{.id = "a", .document = "x", .embedding = Embedding{1, 2}}});
  const Check unknown = check("collection drawers");
  EXPECT_EQ(unknown.state, CheckState::warning);
  EXPECT_NE(unknown.fix.find("set-embedder"), std::string::npos);

  ASSERT_TRUE(backend_->set_embedder(request_.palace, "drawers", "m", 2, ModelSwap::refuse).ok());
  request_.current_model = "m";
  EXPECT_EQ(check("collection drawers").state, CheckState::ok);
  request_.current_model = "n";
  EXPECT_EQ(check("collection drawers").state, CheckState::warning);
}

TEST_F(DoctorTest, ConfigurationFilesAreToldOneByOne) {
  request_.configuration = {
      {.path = "/a/config.json", .is_present = true},
      {.path = "/b/config.json", .is_present = false},
      {.path = "/c/config.json", .is_present = true, .status = Error{ErrorKind::invalid_argument, "line 3: no"}}};
  checks_ = diagnose(nullptr, request_);
  std::vector<CheckState> states;
  for (const Check& entry : checks_) {
    if (entry.name == "configuration") states.push_back(entry.state);
  }
  EXPECT_EQ(states, (std::vector<CheckState>{CheckState::ok, CheckState::ok, CheckState::problem}));
}

TEST_F(DoctorTest, WithoutABackendTheRestIsChecked) {
  backend_.reset();
  checks_ = diagnose(nullptr, request_);
  EXPECT_EQ(worst(checks_), CheckState::warning);
  EXPECT_EQ(worst({}), CheckState::ok);
}

}  // namespace
}  // namespace loci::transfer
