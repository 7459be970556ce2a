#include "store/chroma/coverage.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/chroma/made_folder_checks.h"

namespace loci::chroma {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Coverage coverage_of(const MadeFolder& folder, VerifyDepth depth = VerifyDepth::quick) {
  return examined(folder, depth).collections.at(0);
}

std::vector<std::string> checks(const std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const Finding& finding : findings) names.push_back(finding.check);
  return names;
}
const Finding& finding(const std::vector<Finding>& findings, std::string_view check) {
  const auto found =
      std::find_if(findings.begin(), findings.end(), [&](const Finding& each) { return each.check == check; });
  if (found == findings.end()) throw std::runtime_error("there is no finding " + std::string(check));
  return *found;
}

// Two records that were persisted, a third that is in the queue, and a queue purged to where the index is.
void fill_healthily(const MadeFolder& folder) {
  folder.add_row("a", 1);
  folder.add_row("b", 2);
  folder.add_row("x", 3);
  folder.write_index({{"a", {1, 0}}, {"b", {0, 1}}});
  folder.queue(2, QueueOperation::add, "b", Embedding{0, 1});
  folder.queue(3, QueueOperation::add, "x", Embedding{3, 4});
  folder.set_frontiers("2");
  folder.set_frontier_of_tables(3);
}

// How much of the file this process has in memory through its mappings.
std::size_t resident_bytes(const std::filesystem::path& file) {
  constexpr std::size_t kKilobyte = 1024;
  std::ifstream mappings("/proc/self/smaps");
  bool is_of_file = false;
  std::size_t bytes = 0;
  for (std::string line; std::getline(mappings, line);) {
    const std::string first = line.substr(0, line.find(' '));
    if (!first.ends_with(':')) is_of_file = line.ends_with(file.native());
    if (is_of_file && first == "Rss:") bytes += kKilobyte * std::stoull(line.substr(first.size()));
  }
  return bytes;
}

TEST(CoverageTest, WhatWasReadOfALargeIndexIsLetGo) {
  constexpr std::size_t kRecords = 40'000;
  const MadeFolder folder;
  std::vector<std::pair<std::string, Embedding>> vectors;
  for (std::size_t i = 1; i <= kRecords; ++i) vectors.emplace_back(std::to_string(i), Embedding{1, 0});
  folder.write_index(vectors);
  folder.execute(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000) INSERT INTO "
      "embeddings(segment_id, embedding_id, seq_id) SELECT '" +
      folder.row().metadata_segment + "', CAST(i AS TEXT), i FROM n");
  folder.set_frontiers("40000");
  const std::shared_ptr<FolderPalace> palace = folder.palace();
  const auto report = examine_folder(*palace, VerifyDepth::quick);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->collections.at(0).vectors, kRecords);
  // The palace still has the file mapped, for the next question.
  const std::filesystem::path file = folder.index() / "data_level0.bin";
  EXPECT_NE((std::stringstream() << std::ifstream("/proc/self/maps").rdbuf()).str().find(file.native()),
            std::string::npos);
  EXPECT_LT(resident_bytes(file), std::filesystem::file_size(file) / 8);
}

TEST(CoverageTest, AHealthyFolderHasNoFindings) {
  const MadeFolder folder;
  fill_healthily(folder);
  const VerifyReport report = examined(folder, VerifyDepth::deep);
  EXPECT_THAT(report.findings, IsEmpty());
  const Coverage& coverage = report.collections.at(0);
  EXPECT_EQ(coverage.name, "c");
  EXPECT_EQ(coverage.space, "l2");
  EXPECT_EQ(coverage.dimension, 2U);
  EXPECT_EQ(coverage.rows, 3U);
  EXPECT_EQ(coverage.vectors, 3U);
  EXPECT_EQ(coverage.missing + coverage.stale + coverage.ghosts, 0U);
  EXPECT_THAT(checks(coverage.findings), IsEmpty());
  EXPECT_EQ(report.records, 3U);
}

TEST(CoverageTest, AnIndexThatWasNeverPersistedIsHealthy) {
  const MadeFolder folder;
  folder.add_row("a", 1);
  folder.queue(1, QueueOperation::add, "a", Embedding{1, 0});
  folder.write(folder.index() / "header.bin", made_header(MadeFolder::kGeometry, 0));
  folder.write(folder.index() / "data_level0.bin", Bytes(10'000));
  EXPECT_THAT(checks(coverage_of(folder).findings), IsEmpty());
}

TEST(CoverageTest, ARecordThatIsNeitherInTheIndexNorInTheQueueIsMissing) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.execute("DELETE FROM embeddings_queue WHERE id = 'x'; UPDATE max_seq_id SET seq_id = 2");
  const Coverage coverage = coverage_of(folder);
  EXPECT_EQ(coverage.missing, 1U);
  EXPECT_EQ(coverage.vectors, 2U);
  EXPECT_THAT(checks(coverage.findings), UnorderedElementsAre("purged queue", "missing vectors"));
  EXPECT_THAT(finding(coverage.findings, "missing vectors").fix, HasSubstr("loci embed --missing"));
}

TEST(CoverageTest, AVectorOfAnOlderTextIsStale) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.set_seq("a", 4);
  folder.queue(5, QueueOperation::erase, "nobody");
  const Coverage coverage = coverage_of(folder);
  EXPECT_EQ(coverage.stale, 1U);
  EXPECT_EQ(coverage.missing, 0U);
  EXPECT_THAT(checks(coverage.findings), Contains("stale vectors"));
}

TEST(CoverageTest, AChangeOfMetadataAloneMakesNoVectorStale) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.set_seq("a", 4);
  folder.queue(4, QueueOperation::update, "a");
  EXPECT_EQ(coverage_of(folder).stale, 0U);
}

TEST(CoverageTest, VectorsWithoutARowAreGhosts) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.execute("DELETE FROM embeddings WHERE embedding_id = 'a'");
  const Coverage coverage = coverage_of(folder);
  EXPECT_EQ(coverage.ghosts, 1U);
  EXPECT_EQ(coverage.rows, 2U);
  EXPECT_THAT(checks(coverage.findings), ElementsAre("ghosts"));
}

TEST(CoverageTest, WhatTheQueueDeletesIsNoGhost) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.execute("DELETE FROM embeddings WHERE embedding_id = 'a'");
  folder.queue(4, QueueOperation::erase, "a");
  EXPECT_EQ(coverage_of(folder).ghosts, 0U);
}

TEST(CoverageTest, AHeaderThatIsAheadOfTheLabelsIsATornPersist) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.write(folder.index() / "header.bin", made_header(MadeFolder::kGeometry, 3));
  Bytes slots;
  append_slot(slots, MadeFolder::kGeometry, 1, {1, 0}, true);
  append_slot(slots, MadeFolder::kGeometry, 2, {0, 1});
  append_slot(slots, MadeFolder::kGeometry, 3, {3, 4});
  folder.write(folder.index() / "data_level0.bin", slots);
  const Coverage coverage = coverage_of(folder);
  EXPECT_THAT(checks(coverage.findings), Contains("torn persist"));
  EXPECT_EQ(coverage.vectors, 3U) << "the queue has what the labels do not";
  EXPECT_THAT(finding(coverage.findings, "torn persist").fix, HasSubstr("loci repair --backend chroma --palace /"));
}

TEST(CoverageTest, MarksOfDeletionThatTheLabelsDoNotKnowAreATornPersist) {
  const MadeFolder folder;
  fill_healthily(folder);
  Bytes slots;
  append_slot(slots, MadeFolder::kGeometry, 1, {1, 0}, true);
  append_slot(slots, MadeFolder::kGeometry, 2, {0, 1});
  folder.write(folder.index() / "data_level0.bin", slots);
  EXPECT_THAT(checks(coverage_of(folder).findings), ElementsAre("torn persist"));
}

TEST(CoverageTest, AHeaderThatCountsTooFewSlotsLosesNone) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.write(folder.index() / "header.bin", made_header(MadeFolder::kGeometry, 1));
  const Coverage coverage = coverage_of(folder);
  EXPECT_EQ(coverage.vectors, 3U);
  EXPECT_THAT(finding(coverage.findings, "damaged header").detail, HasSubstr("counts 1 of the 2 slots"));
}

TEST(CoverageTest, AWrongDimensionInTheDatabaseIsToldAndNotUsed) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.execute("UPDATE collections SET dimension = 6");
  for (const bool has_header : {true, false}) {
    SCOPED_TRACE(has_header);
    if (!has_header) std::filesystem::remove(folder.index() / "header.bin");
    const Coverage coverage = coverage_of(folder, VerifyDepth::deep);
    EXPECT_EQ(coverage.vectors, 3U);
    EXPECT_EQ(coverage.dimension, 2U);
    EXPECT_THAT(finding(coverage.findings, "wrong dimension").detail, HasSubstr("says 6 dimensions"));
  }
}

TEST(CoverageTest, WithoutAHeaderAndADimensionNoSlotIsGuessed) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.execute("UPDATE collections SET dimension = 6; DELETE FROM embeddings_queue");
  folder.queue(3, QueueOperation::add, "x");
  std::filesystem::remove(folder.index() / "header.bin");
  Bytes slots;
  append_slot(slots, MadeFolder::kGeometry, 1, {1, 0});
  append_slot(slots, MadeFolder::kGeometry, 2, {0, 1});
  slots.resize(2 * slots.size());
  folder.write(folder.index() / "data_level0.bin", slots);
  const Coverage coverage = coverage_of(folder);
  EXPECT_EQ(coverage.vectors, 0U);
  EXPECT_THAT(finding(coverage.findings, "damaged header").detail, HasSubstr("not those of 6 dimensions"));
}

TEST(CoverageTest, AnIndexOfAnotherDimensionThanEverythingElseIsNotUsed) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.execute("UPDATE collections SET dimension = 3");
  folder.queue(4, QueueOperation::upsert, "x", Embedding{1, 2, 3});
  const Coverage coverage = coverage_of(folder);
  EXPECT_EQ(coverage.dimension, 3U);
  EXPECT_EQ(coverage.vectors, 1U);
  EXPECT_THAT(finding(coverage.findings, "wrong dimension").detail, HasSubstr("the index has 2 dimensions"));
}

TEST(CoverageTest, AMissingAndACutPickleAreTold) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.queue(4, QueueOperation::erase, "nobody");  // whose label might be among those that are left
  folder.write(folder.index() / "index_metadata.pickle", {});
  EXPECT_THAT(checks(coverage_of(folder).findings), Contains("cut pickle"));
  const Bytes whole = made_pickle({{"a", 1}, {"b", 2}}, 2);
  folder.write(folder.index() / "index_metadata.pickle", Bytes(whole.begin(), whole.end() - 30));
  EXPECT_THAT(checks(coverage_of(folder).findings), Contains("cut pickle"));
  std::filesystem::remove(folder.index() / "index_metadata.pickle");
  const Coverage coverage = coverage_of(folder);
  EXPECT_THAT(finding(coverage.findings, "missing pickle").detail, HasSubstr("do not open this folder with Chroma"));
}

TEST(CoverageTest, CutVectorsAndDamagedLinksAreTold) {
  const MadeFolder folder;
  fill_healthily(folder);
  Bytes slots;
  append_slot(slots, MadeFolder::kGeometry, 1, {1, 0});
  folder.write(folder.index() / "data_level0.bin", slots);
  folder.write(folder.index() / "link_lists.bin", {7, 0, 0, 0});
  folder.execute("DELETE FROM embeddings_queue WHERE id = 'b'");
  const Coverage coverage = coverage_of(folder);
  EXPECT_EQ(coverage.missing, 1U);
  EXPECT_THAT(checks(coverage.findings), testing::IsSupersetOf({"cut vectors", "damaged links", "missing vectors"}));
}

TEST(CoverageTest, AVectorThatIsNotANumberIsNone) {
  const MadeFolder folder;
  fill_healthily(folder);
  Bytes slots;
  append_slot(slots, MadeFolder::kGeometry, 1, {NAN, 0});
  append_slot(slots, MadeFolder::kGeometry, 2, {0, 1});
  folder.write(folder.index() / "data_level0.bin", slots);
  const Coverage coverage = coverage_of(folder);
  EXPECT_EQ(coverage.vectors, 2U);
  EXPECT_EQ(coverage.missing, 1U);
  EXPECT_THAT(checks(coverage.findings), Contains("unusable vectors"));
}

TEST(CoverageTest, ABlobFrontierIsDamageOnlyBehindChromasMigration) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.set_frontiers("x'0000000000000003'");
  const Coverage after = coverage_of(folder);
  EXPECT_THAT(checks(after.findings), ElementsAre("BLOB frontier", "BLOB frontier"));
  EXPECT_THAT(after.findings.at(0).fix, HasSubstr("--only seq-ids --apply"));
  EXPECT_EQ(after.vectors, 3U);
  folder.make_old();
  folder.set_frontiers("x'0000000000000003'");
  EXPECT_THAT(checks(coverage_of(folder).findings), IsEmpty());
  folder.set_frontiers("3");
  EXPECT_THAT(checks(coverage_of(folder).findings), ElementsAre("integer frontier", "integer frontier"));
}

TEST(CoverageTest, APoisonedFrontierIsReadBack) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.set_frontiers(std::to_string(0x1111111111111133));  // was 3
  const Coverage coverage = coverage_of(folder);
  EXPECT_THAT(checks(coverage.findings), ElementsAre("poisoned frontier", "poisoned frontier"));
  EXPECT_THAT(coverage.findings.at(0).detail, HasSubstr("was 3"));
  EXPECT_EQ(coverage.vectors, 3U);
}

TEST(CoverageTest, AnEmptiedQueueIsTold) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.execute("DELETE FROM embeddings_queue");
  folder.queue(1, QueueOperation::add, "late", Embedding{5, 5});
  const Coverage coverage = coverage_of(folder);
  EXPECT_THAT(finding(coverage.findings, "emptied queue").detail, HasSubstr("1 write is lost"));
  EXPECT_EQ(coverage.missing, 1U);
}

TEST(CoverageTest, AWrongSpaceInTheConfigurationIsOnlyANoteWhereChromaDoesNotUseIt) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.execute(
      "UPDATE collections SET config_json_str = '{\"hnsw_configuration\":{\"space\":\"l2\"}}';"
      "INSERT INTO collection_metadata(collection_id, key, str_value) VALUES ('" +
      folder.row().id + "', 'hnsw:space', 'ip')");
  const Coverage coverage = coverage_of(folder);
  EXPECT_EQ(coverage.space, "ip");
  EXPECT_FALSE(finding(coverage.findings, "wrong space").needs_attention);
}

TEST(CoverageTest, AnIndexThatContradictsTheSpaceIsDamage) {
  const MadeFolder folder(DistanceMetric::cosine);
  std::vector<std::pair<std::string, Embedding>> vectors;
  for (int i = 1; i <= 12; ++i) {
    vectors.emplace_back("r" + std::to_string(i), Embedding{static_cast<float>(i), 2});
    folder.add_row(vectors.back().first, i);
  }
  folder.write_index(vectors);
  folder.queue(12, QueueOperation::upsert, "r12", Embedding{12, 2});
  folder.set_frontiers("12");
  EXPECT_TRUE(finding(coverage_of(folder).findings, "wrong space").needs_attention);
}

TEST(CoverageTest, LengthsThatAreGoneAreTold) {
  const MadeFolder folder(DistanceMetric::cosine);
  fill_healthily(folder);
  EXPECT_THAT(checks(coverage_of(folder).findings), IsEmpty());
  std::filesystem::remove(folder.index() / "length.bin");
  EXPECT_THAT(checks(coverage_of(folder).findings), ElementsAre("lost lengths"));
}

TEST(CoverageTest, ACopySaysWhatIsStillInIt) {
  const MadeFolder folder;
  fill_healthily(folder);
  std::filesystem::rename(folder.index(), folder.index().string() + ".drift-20260101-000000");
  const Coverage coverage = coverage_of(folder);
  EXPECT_EQ(coverage.missing, 1U);
  EXPECT_EQ(coverage.vectors, 2U);
  EXPECT_THAT(checks(coverage.findings),
              UnorderedElementsAre("missing index", "purged queue", "quarantined copy", "missing vectors"));
  const Finding& copy = finding(coverage.findings, "quarantined copy");
  EXPECT_TRUE(copy.needs_attention);
  EXPECT_THAT(copy.detail, HasSubstr("holds 2 vectors"));
  EXPECT_THAT(copy.detail, HasSubstr("1 record has no other vector"));
  EXPECT_THAT(copy.fix, HasSubstr("--include-quarantined"));
}

TEST(CoverageTest, ACopyThatNobodyNeedsIsOnlyANote) {
  const MadeFolder folder;
  fill_healthily(folder);
  for (const char* mark : {".drift-20260101-000000", ".corrupt-1", ".quarantine-x"})
    folder.write_index(folder.index().string() + mark, {{"a", {1, 0}}});
  const Coverage coverage = coverage_of(folder);
  EXPECT_THAT(checks(coverage.findings), ElementsAre("quarantined copy", "quarantined copy", "quarantined copy"));
  for (const Finding& each : coverage.findings) EXPECT_FALSE(each.needs_attention);
}

TEST(CoverageTest, FoldersThatNoCollectionKnowsAreNotes) {
  const MadeFolder folder;
  folder.write_index(folder.path() / "0f0e0d0c-1111-4222-8333-444455556666", {{"gone", {1, 0}}});
  folder.write_index(folder.path() / "0f0e0d0c-1111-4222-8333-444455556667.drift-20260101-000000", {{"gone", {1, 0}}});
  std::filesystem::create_directory(folder.path() / "notes-of-mine");
  const VerifyReport report = examined(folder);
  EXPECT_THAT(checks(report.findings), ElementsAre("orphan folder", "quarantined copy"));
  for (const Finding& each : report.findings) {
    EXPECT_FALSE(each.needs_attention);
    EXPECT_THAT(each.detail, HasSubstr("1 vector"));
  }
}

TEST(CoverageTest, AnEmptyDatabaseIsANote) {
  const MadeFolder folder;
  std::filesystem::resize_file(folder.path() / kDatabaseName, 0);
  const VerifyReport report = examined(folder);
  EXPECT_THAT(checks(report.findings), ElementsAre("empty database"));
  EXPECT_FALSE(report.findings.at(0).needs_attention);
}

TEST(CoverageTest, AnEmptyDatabaseBesideAnIndexWasLost) {
  const MadeFolder folder;
  folder.write_index({{"a", {1, 0}}, {"b", {0, 1}}});
  std::filesystem::resize_file(folder.path() / kDatabaseName, 0);
  const VerifyReport report = examined(folder);
  const Finding& lost = finding(report.findings, "lost database");
  EXPECT_TRUE(lost.needs_attention);
  EXPECT_THAT(lost.detail, HasSubstr("2 vectors"));
  EXPECT_THAT(lost.fix, HasSubstr("loci repair"));
  for (const Finding& each : report.findings) EXPECT_EQ(each.fix.find("delete"), std::string::npos);
}

TEST(CoverageTest, ADatabaseOfAnotherProgramIsAFindingAndNoCrash) {
  const MadeFolder folder;
  folder.execute("DROP TABLE migrations");
  EXPECT_THAT(checks(examined(folder).findings), ElementsAre("damaged database"));
  folder.write(folder.path() / kDatabaseName, Bytes(8192, 'x'));
  EXPECT_THAT(checks(examined(folder).findings), ElementsAre("damaged database"));
}

TEST(CoverageTest, ATableThatIsMissingIsAFinding) {
  const MadeFolder folder;
  fill_healthily(folder);
  folder.execute("ALTER TABLE embeddings RENAME COLUMN embedding_id TO other");
  const VerifyReport report = examined(folder);
  EXPECT_FALSE(report.findings.empty() && report.collections.at(0).findings.empty());
}

TEST(CoverageTest, NoDatabaseIsAnError) {
  const TemporaryFolder empty;
  FolderPalace palace(empty.path(), Access::read_only, {});
  EXPECT_EQ(examine_folder(palace, VerifyDepth::quick).error().kind, ErrorKind::palace_not_found);
}

TEST(CoverageTest, FilesOfHolesAreNotBelieved) {
  const MadeFolder folder;
  fill_healthily(folder);
  constexpr std::uintmax_t kTerabyte = std::uintmax_t{1} << 40;
  for (const char* name : {"link_lists.bin", "data_level0.bin", "length.bin", "index_metadata.pickle"}) {
    std::error_code unsupported;
    std::filesystem::resize_file(folder.index() / name, kTerabyte, unsupported);
    if (unsupported) GTEST_SKIP() << "this file system has no files of holes";
  }
  Bytes header = made_header(MadeFolder::kGeometry, std::uint64_t{1} << 60);
  folder.write(folder.index() / "header.bin", header);
  const Coverage coverage = coverage_of(folder);
  EXPECT_EQ(coverage.rows, 3U);
  EXPECT_EQ(coverage.vectors, 3U);
  EXPECT_THAT(checks(coverage.findings), Contains("damaged links"));
  EXPECT_THAT(checks(coverage.findings), Contains("torn persist"));
}

}  // namespace
}  // namespace loci::chroma
