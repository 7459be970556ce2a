// verify, quarantine and repair --only of Chroma folders, as people type them.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "store/chroma/made_folder.h"
#include "tests/chroma/sample_folder.h"
#include "tests/end_to_end/program.h"

namespace loci::end_to_end {
namespace {

using testing::HasSubstr;
using testing::Not;

class ChromaCommandTest : public EndToEndTest {
 protected:
  // A folder of Chroma's with one record, all of it in the queue.
  void make_folder() {
    write(folder() / "line.jsonl",
          R"({"collection": "mempalace_drawers", "id": "d", "document": "kept", "embedding": [1, 0]})"
          "\n");
    chroma::make_empty_folder(folder() / "old");
    ok({"import", "line.jsonl", "--palace", "./old", "--backend", "chroma"});
  }
  // The folder of a sample; empty where there is no data.
  std::filesystem::path sample(const std::string& name) {
    for (const std::filesystem::path& archive : chroma_tests::archives_in("chroma")) {
      if (chroma_tests::name_of(archive) != name) continue;
      chroma_tests::unpack(archive, folder());
      return folder() / name / "dir";
    }
    return {};
  }
  static void set_age(const std::filesystem::path& file, std::int64_t seconds) {
    constexpr std::int64_t kNow = 1'700'000'000;
    const timespec times[2] = {{kNow - seconds, 0}, {kNow - seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0) << file;
  }
  static void set_ages(const std::filesystem::path& palace) {
    set_age(palace / "chroma.sqlite3", 0);
    for (const auto& entry : std::filesystem::directory_iterator(palace)) {
      if (std::filesystem::exists(entry.path() / "data_level0.bin")) set_age(entry.path() / "data_level0.bin", 7200);
    }
  }
};

TEST_F(ChromaCommandTest, AHealthyFolderIsTold) {
  make_folder();
  const auto before = listing(folder() / "old");
  const Json report = json({"verify", "--backend", "chroma", "--palace", "./old"});
  ASSERT_EQ(report.at("collections").size(), 1U);
  const Json& collection = report.at("collections")[0];
  EXPECT_EQ(collection.at("name"), "mempalace_drawers");
  EXPECT_EQ(collection.at("space"), "cosine");
  EXPECT_EQ(collection.at("dimension"), 2);
  EXPECT_EQ(collection.at("rows"), 1);
  EXPECT_EQ(collection.at("vectors"), 1);
  for (const char* none : {"missing", "stale", "ghosts"}) EXPECT_EQ(collection.at(none), 0);
  EXPECT_TRUE(collection.at("findings").is_array());
  const std::string text = ok({"verify", "--palace", "./old"});
  EXPECT_THAT(text, HasSubstr("mempalace_drawers  cosine, 2 dimensions: 1 row, 1 with their vector\n"));
  EXPECT_THAT(text, HasSubstr("all is well"));
  EXPECT_EQ(listing(folder() / "old"), before);
}

TEST_F(ChromaCommandTest, DamageIsToldWithWhatMendsItAndTheExitCodeSaysSo) {
  const std::filesystem::path palace = sample("segdir-quarantined-1.5.9");
  if (palace.empty()) GTEST_SKIP() << "LOCI_TEST_DATA has no Chroma folders";
  const Finished report = loci({"verify", "--palace", palace.string(), "--json"});
  EXPECT_EQ(report.exit_code, 4) << report.err;
  const Json told = Json::parse(report.out);
  for (const Json& collection : told.at("collections")) EXPECT_GT(collection.at("missing"), 1000);
  const Finished text = loci({"verify", "--palace", palace.string()});
  EXPECT_EQ(text.exit_code, 4);
  EXPECT_THAT(text.out, HasSubstr("quarantined copy"));
  EXPECT_THAT(text.out, HasSubstr("→ loci migrate --from chroma --source " + palace.string()));
}

TEST_F(ChromaCommandTest, QuarantineRenamesOnlyWhenAskedTo) {
  make_folder();
  write(folder() / "old" / "abcd-1234-5678" / "data_level0.bin", "");
  set_ages(folder() / "old");
  const std::string planned = ok({"quarantine", "--palace", "./old"});
  EXPECT_THAT(planned, HasSubstr("would rename"));
  EXPECT_THAT(planned, HasSubstr("7,200 s older than the database"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "old" / "abcd-1234-5678"));
  EXPECT_THAT(ok({"quarantine", "--palace", "./old", "--stale-seconds", "9000", "--apply"}), HasSubstr("nothing"));
  const Json report = json({"quarantine", "--palace", "./old", "--apply"});
  ASSERT_EQ(report.at("moved").size(), 1U);
  EXPECT_EQ(report.at("moved")[0].at("from"), (folder() / "old" / "abcd-1234-5678").string());
  EXPECT_EQ(report.at("moved")[0].at("gap_seconds"), 7200.0);
  EXPECT_EQ(report.at("refused").size(), 0U);
  EXPECT_TRUE(std::filesystem::exists(report.at("moved")[0].at("to").get<std::string>() + "/data_level0.bin"));
  EXPECT_FALSE(std::filesystem::exists(folder() / "old" / "abcd-1234-5678"));
}

TEST_F(ChromaCommandTest, QuarantineOfNothingIsNothing) {
  for (const char* palace : {"./missing", "./empty"}) {
    if (std::string_view(palace) == "./empty") std::filesystem::create_directory(folder() / "empty");
    const Json report = json({"quarantine", "--palace", palace, "--apply"});
    EXPECT_EQ(report.at("moved").size() + report.at("refused").size(), 0U);
    EXPECT_EQ(json({"quarantine", "--palace", palace, "--backend", "chroma"}).at("moved").size(), 0U);
  }
  EXPECT_FALSE(std::filesystem::exists(folder() / "missing"));
  expect_failure({"quarantine", "--palace", "./missing", "--stale-seconds", "-1"}, 2, "stale_seconds");
}

TEST_F(ChromaCommandTest, QuarantineRefusesToLoseVectorsUnlessForced) {
  const std::filesystem::path palace = sample("healthy-1.0.20");
  if (palace.empty()) GTEST_SKIP() << "LOCI_TEST_DATA has no Chroma folders";
  set_ages(palace);
  const auto before = listing(palace);
  const Finished refused = loci({"quarantine", "--palace", palace.string(), "--apply", "--json"});
  EXPECT_EQ(refused.exit_code, 4) << refused.err;
  const Json report = Json::parse(refused.out);
  EXPECT_EQ(report.at("moved").size(), 0U);
  ASSERT_EQ(report.at("refused").size(), 2U);
  for (const Json& each : report.at("refused")) EXPECT_GT(each.at("only_here"), 1000);
  EXPECT_EQ(listing(palace), before);
  EXPECT_THAT(loci({"quarantine", "--palace", palace.string()}).out, HasSubstr("would lose"));
  EXPECT_EQ(json({"quarantine", "--palace", palace.string(), "--apply", "--force"}).at("moved").size(), 2U);
}

TEST_F(ChromaCommandTest, SequenceNumbersAreMendedInPlace) {
  const std::filesystem::path palace = sample("maxseq-blob-after-downgrade");
  if (palace.empty()) GTEST_SKIP() << "LOCI_TEST_DATA has no Chroma folders";
  EXPECT_THAT(loci({"verify", "--palace", palace.string()}).out, HasSubstr("BLOB frontier"));
  const auto before = listing(palace);
  EXPECT_THAT(ok({"repair", "--palace", palace.string(), "--only", "seq-ids"}), HasSubstr("--apply does it"));
  EXPECT_EQ(listing(palace), before);
  const Json report =
      json({"repair", "--backend", "chroma", "--palace", palace.string(), "--only", "seq-ids", "--apply"});
  EXPECT_EQ(report.at("applied"), true);
  EXPECT_GT(report.at("changed"), 0);
  EXPECT_THAT(loci({"verify", "--palace", palace.string()}).out, Not(HasSubstr("BLOB frontier")));
  EXPECT_THAT(ok({"repair", "--palace", palace.string(), "--only", "seq-ids"}), HasSubstr("nothing to mend"));
}

TEST_F(ChromaCommandTest, SequenceNumbersBeforeChromasMigrationStay) {
  const std::filesystem::path palace = sample("healthy-0.6.3");
  if (palace.empty()) GTEST_SKIP() << "LOCI_TEST_DATA has no Chroma folders";
  const auto before = listing(palace);
  EXPECT_THAT(ok({"repair", "--palace", palace.string(), "--only", "seq-ids", "--apply"}),
              HasSubstr("has not run here"));
  EXPECT_EQ(listing(palace), before);
}

TEST_F(ChromaCommandTest, WhatDoesNotGoTogetherIsRefused) {
  make_folder();
  expect_failure({"repair", "--palace", "./old"}, 2, "repair needs");
  expect_failure({"repair", "--palace", "./old", "--only", "seq-ids", "--output", "new"}, 2, "repair needs");
  expect_failure({"repair", "--palace", "./old", "--output", "new", "--apply"}, 2, "apply goes with only");
  expect_failure({"repair", "--palace", "./old", "--only", "everything"}, 2, "seq-ids");
  expect_failure({"repair", "--palace", "./old", "--only", "seq-ids", "--apply", "--read-only"}, 2,
                 "read-only forbids");
  ok({"init", "--palace", "./own"});
  expect_failure({"repair", "--palace", "./own", "--only", "seq-ids"}, 1, "mends nothing in place");
  expect_failure({"quarantine", "--palace", "./own"}, 1, "needs no quarantine");
}

TEST_F(ChromaCommandTest, WithoutTheTextsOfItsMigrationsNoFolderIsMade) {
  ok({"add", "text", "--palace", "./own", "--embedder", "hash"});
  const RunOptions without = {.environment = {{"LOCI_CHROMA_MIGRATIONS", "/nowhere.sql"}}};
  const auto before = listing(folder());
  expect_failure({"migrate", "--source", "./own", "--to", "chroma", "--palace", "./new"}, 1,
                 "tools/setup.sh chroma-migrations", without);
  expect_failure({"init", "--backend", "chroma", "--palace", "./new"}, 1, "tools/setup.sh chroma-migrations", without);
  EXPECT_EQ(listing(folder()), before);
}

TEST_F(ChromaCommandTest, ADatabaseOfAnotherProgramIsAFinding) {
  write(folder() / "old" / "chroma.sqlite3",
        "this is no database at all, and longer than a header of one would have to be; "
        "more than a hundred bytes of text");
  const Finished report = loci({"verify", "--palace", "./old"});
  EXPECT_EQ(report.exit_code, 4) << report.err;
  EXPECT_THAT(report.out, HasSubstr("damaged database"));
  const std::string remedy = "`loci repair --backend chroma --palace " + (folder() / "old").string() + " --output NEW`";
  expect_failure({"list", "--palace", "./old"}, 4, remedy);
  expect_failure({"export", "--palace", "./old", "--output", "out.jsonl"}, 4, remedy);
  expect_failure({"migrate", "--from", "chroma", "--source", "./old", "--palace", "./new"}, 4, remedy);
}

}  // namespace
}  // namespace loci::end_to_end
