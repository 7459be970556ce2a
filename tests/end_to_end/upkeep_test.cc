// Verify, backup, restore and repair, as people type them.
#include <gtest/gtest.h>

#include "tests/end_to_end/program.h"

namespace loci::end_to_end {
namespace {

class UpkeepCommandsTest : public EndToEndTest {
 protected:
  void SetUp() override {
    for (const char* id : {"a", "b", "c"}) ok({"add", "the text of " + std::string(id), "--wing", "w", "--id", id});
  }
  // Changes one character of a text in the file.
  void damage(const std::string& text) {
    std::string bytes = read(palace() / "palace.db");
    const std::size_t at = bytes.find(text);
    ASSERT_NE(at, std::string::npos);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    write(palace() / "palace.db", bytes);
  }
};

TEST_F(UpkeepCommandsTest, VerifySaysThatAllIsWellAndChangesNothing) {
  const auto before = listing(home());
  EXPECT_NE(ok({"verify"}).find("all is well"), std::string::npos);
  const Json report = json({"verify", "--deep"});
  EXPECT_EQ(report.at("findings"), Json::array());
  EXPECT_EQ(report.at("records"), 3);
  EXPECT_EQ(listing(home()), before);
}

TEST_F(UpkeepCommandsTest, ADamagedTextNeedsAttentionAndRepairSavesTheRest) {
  damage("the text of b");
  const Finished found = loci({"verify", "--deep"});
  EXPECT_EQ(found.exit_code, 4);
  EXPECT_NE(found.out.find("\"b\""), std::string::npos) << found.out;
  EXPECT_NE(found.out.find("loci repair --output NEW"), std::string::npos) << found.out;
  expect_failure({"get", "b"}, 4, "damaged");
  const std::string before = read(palace() / "palace.db");

  const Finished repaired = loci({"repair", "--output", (folder() / "saved").string(), "--json"});
  EXPECT_EQ(repaired.exit_code, 4) << "something is lost";
  EXPECT_NE(repaired.out.find("\"saved\": 2"), std::string::npos) << repaired.out;
  EXPECT_NE(repaired.out.find("\"lost\": 1"), std::string::npos) << repaired.out;
  EXPECT_EQ(read(palace() / "palace.db"), before) << "the damaged palace is not touched";
  EXPECT_EQ(json({"list", "--palace", (folder() / "saved").string()}).at("total"), 2);
}

TEST_F(UpkeepCommandsTest, ABackupIsRestoredAsAnEqualPalace) {
  ok({"backup", "copy.loci"});
  expect_failure({"backup", "copy.loci"}, 1, "exists already");
  ok({"restore", "copy.loci", "--palace", "second"});
  EXPECT_EQ(loci({"export", "--palace", "second"}).out, loci({"export"}).out);
  expect_failure({"restore", "copy.loci"}, 1, "there is a palace");
  expect_failure({"restore", "nothing.loci", "--palace", "third"}, 3, "there is no file");
  EXPECT_FALSE(std::filesystem::exists(home() / "palaces" / "third"));
}

TEST_F(UpkeepCommandsTest, NothingIsWrittenIntoTheFolderOfAPalace) {
  ok({"init", "--palace", "./other"});
  const auto before = listing(folder());
  for (const std::filesystem::path& place :
       {folder() / "other" / "palace.db-wal", folder() / "other" / "index", palace() / "index" / "copy"}) {
    expect_failure({"backup", place.string()}, 2, "is in the folder of a palace");
    expect_failure({"repair", "--output", place.string()}, 2, "is in the folder of a palace");
  }
  EXPECT_EQ(listing(folder()), before);
}

TEST_F(UpkeepCommandsTest, MaintenanceRunsEachKindAndSaysWhatItDid) {
  const Json state = json({"maintenance", "state"});
  EXPECT_EQ(state.at("kinds"), Json::array({"analyze", "compact", "reindex"}));
  EXPECT_EQ(state.at("state").at("rows"), 3);
  for (const Json& kind : state.at("kinds")) {
    const Json report = json({"maintenance", "run", kind.get<std::string>()});
    EXPECT_EQ(report.at("kind"), kind);
    EXPECT_EQ(report.at("status"), "ran");
    EXPECT_TRUE(report.at("stats").at("seconds").is_number());
  }
  EXPECT_NE(ok({"maintenance", "run", "analyze"}).find("nothing to do"), std::string::npos);
  EXPECT_NE(ok({"search", "text"}).find("3 hits"), std::string::npos);
}

TEST_F(UpkeepCommandsTest, MaintenanceSaysWhatItTakes) {
  expect_failure({"maintenance"}, 2, "state|run");
  expect_failure({"maintenance", "run"}, 2, "run needs a kind; the backend has analyze, compact, reindex");
  expect_failure({"maintenance", "run", "polish"}, 2, "it has analyze, compact, reindex");
  expect_failure({"maintenance", "state", "compact"}, 2, "takes no kind");
  expect_failure({"maintenance", "run", "compact", "--read-only"}, 2, "read-only");
  EXPECT_EQ(json({"maintenance", "state", "--read-only"}).at("state").at("rows"), 3);
  expect_failure({"maintenance", "state", "--palace", "none"}, 3, "there is no palace");
}

}  // namespace
}  // namespace loci::end_to_end
