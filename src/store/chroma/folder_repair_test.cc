// What a repair brings out of a folder whose database is damaged, or gone.
#include "store/chroma/folder_repair.h"

#include <array>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/chroma/database_damage.h"
#include "store/chroma/folder_backend.h"
#include "store/chroma/made_folder_checks.h"

namespace loci::chroma {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kPageBytes = 4096;

std::size_t number_at(std::fstream& file, std::int64_t at, int bytes) {
  file.seekg(at);
  std::size_t number = 0;
  for (int i = 0; i < bytes; ++i) number = number << 8 | static_cast<std::size_t>(file.get());
  return number;
}

// 300 records with a text, a number and a vector each, in tables of several pages.
class DamagedDatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto backend = make_chroma_folder_backend();
    const auto collection = backend->collection(PalaceRef::at(folder_.path()), "c", {});
    std::vector<Record> records;
    for (int i = 0; i < 300; ++i) {
      records.push_back({.id = "id-" + std::to_string(i),
                         .document = "text " + std::to_string(i) + std::string(200, '.'),
                         .metadata = {{"number", std::int64_t{i}}, {"title", "title " + std::to_string(i)}},
                         .embedding = Embedding{1, static_cast<float>(i)}});
    }
    ASSERT_TRUE((*collection)->add(records).ok());
    whole_ = records_of(folder_.path());
    ASSERT_EQ(whole_.size(), 300U);
  }

  static std::vector<Record> records_of(const std::filesystem::path& folder) {
    const auto backend = make_chroma_folder_backend();
    const auto collection = backend->collection(PalaceRef::at(folder), "c", {.access = Access::read_only});
    if (!collection.ok()) throw std::runtime_error(collection.error().message);
    const auto records = (*collection)->get({.include = {.embeddings = true}});
    if (!records.ok()) throw std::runtime_error(records.error().message);
    return *records;
  }

  // Overwrites the second leaf of a table with a byte that no page begins with.
  void damage(const std::string& table) const {
    const std::string sql = "SELECT CAST(rootpage AS TEXT) FROM sqlite_master WHERE name = '" + table + "'";
    const std::int64_t root = (std::stoll(folder_.text(sql)) - 1) * kPageBytes;
    std::fstream file(folder_.path() / kDatabaseName, std::ios::binary | std::ios::in | std::ios::out);
    ASSERT_EQ(number_at(file, root, 1), 5U) << "the table fits into one page";
    const auto cell = static_cast<std::int64_t>(number_at(file, root + 14, 2));
    const auto leaf = static_cast<std::int64_t>(number_at(file, root + cell, 4));
    ASSERT_EQ(number_at(file, (leaf - 1) * kPageBytes, 1), 13U) << "this is no leaf";
    file.seekp((leaf - 1) * kPageBytes);
    file << std::string(kPageBytes, '\xff');
  }

  std::filesystem::path output() const { return beside_.path() / "new"; }
  SalvageReport repaired() const {
    const auto report = repair_folder(folder_.path(), output());
    if (!report.ok()) throw std::runtime_error(report.error().message);
    return *report;
  }

  const MadeFolder folder_;
  const TemporaryFolder beside_;
  std::vector<Record> whole_;
};

TEST_F(DamagedDatabaseTest, RecordsOfABadPageArePutTogetherFromAnIndex) {
  damage("embeddings");
  EXPECT_THAT(examined(folder_).findings, Contains(testing::Field(&Finding::fix, HasSubstr("loci repair"))));
  const SalvageReport report = repaired();
  EXPECT_EQ(report.saved, 300U);
  EXPECT_THAT(report.losses, IsEmpty());
  EXPECT_EQ(records_of(output()), whole_);
  const auto made = Connection::open(output() / kDatabaseName, sqlite::OpenMode::read_write);
  EXPECT_THAT(*find_damage(**made, DamageDepth::tables), IsEmpty());
}

TEST_F(DamagedDatabaseTest, WhoMeetsABadPageIsToldWhatSavesTheRest) {
  const auto backend = make_chroma_folder_backend();
  const PalaceRef palace = PalaceRef::at(folder_.path());
  for (const char* table : {"embeddings", "embedding_metadata"}) damage(table);
  const auto collection = *backend->collection(palace, "c", {});
  const auto expect_remedy = [&](const auto& result) {
    ASSERT_FALSE(result.ok()) << "the page was not met, so nothing is tested";
    EXPECT_EQ(result.error().kind, ErrorKind::corruption);
    EXPECT_THAT(result.error().message, HasSubstr("; `loci repair --backend chroma --palace " +
                                                  folder_.path().string() + " --output NEW` saves what can be read"));
  };
  expect_remedy(collection->get({}));
  expect_remedy(collection->scan({}, [](const Record&) { return ok_status(); }));
  expect_remedy(collection->upsert(whole_));
  expect_remedy(backend->collections(palace, Access::read_only));
}

TEST_F(DamagedDatabaseTest, ValuesOfABadPageAreFoundByVerifyAndPutTogether) {
  damage("embedding_metadata");
  EXPECT_THAT(examined(folder_).findings, Contains(testing::Field(&Finding::check, "damaged database")));
  EXPECT_EQ(repaired().saved, 300U);
  EXPECT_EQ(records_of(output()), whole_);
}

TEST_F(DamagedDatabaseTest, ATextThatIsInNoIndexComesFromTheWords) {
  folder_.execute("DROP INDEX embedding_metadata_string_value");
  damage("embedding_metadata");
  const SalvageReport report = repaired();
  EXPECT_EQ(report.lost, 0U);
  EXPECT_GT(report.saved_in_part, 0U);
  EXPECT_THAT(report.losses, Contains(HasSubstr("its metadata \"title\" is lost")));
  const std::vector<Record> records = records_of(output());
  ASSERT_EQ(records.size(), whole_.size());
  for (std::size_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i].document, whole_[i].document);
}

TEST_F(DamagedDatabaseTest, ATextThatIsNowhereElseIsCountedAsLost) {
  folder_.execute("DROP INDEX embedding_metadata_string_value; DELETE FROM embedding_fulltext_search");
  damage("embedding_metadata");
  const SalvageReport report = repaired();
  EXPECT_GT(report.lost, 0U);
  EXPECT_EQ(report.saved + report.saved_in_part + report.lost, 300U);
}

TEST_F(DamagedDatabaseTest, VectorsOfABadPageAreMissedAndTheRestIsSaved) {
  damage("embeddings_queue");
  EXPECT_THAT(examined(folder_).findings, Contains(testing::Field(&Finding::check, "damaged database")));
  const SalvageReport report = repaired();
  EXPECT_GT(report.saved, 200U);
  EXPECT_GT(report.saved_in_part, 0U);
  EXPECT_EQ(report.saved + report.saved_in_part, 300U);
  EXPECT_THAT(report.losses, Contains(HasSubstr("embeddings_queue")));
  EXPECT_EQ(records_of(output()).size(), 300U);
}

TEST_F(DamagedDatabaseTest, ARepairThatIsCancelledEndsSoonAndLeavesNothing) {
  for (const bool is_damaged : {false, true}) {
    if (is_damaged) damage("embeddings");
    int questions = 0;
    ASSERT_TRUE(repair_folder(folder_.path(), output(), [&] { return ++questions == 0; }).ok());
    std::filesystem::remove_all(output());
    ASSERT_GT(questions, 300);
    for (int last = 1; last < questions * 9 / 10; last += 1 + questions / 20) {
      int asked = 0;
      const auto report = repair_folder(folder_.path(), output(), [&] { return ++asked >= last; });
      ASSERT_FALSE(report.ok()) << "it went on after question " << last << " of " << questions;
      EXPECT_EQ(report.error().kind, ErrorKind::unavailable) << report.error().message;
      EXPECT_TRUE(std::filesystem::is_empty(beside_.path())) << "something was left at question " << last;
    }
  }
}

TEST_F(DamagedDatabaseTest, RecordsWhoseCollectionIsLostAreCountedAsLost) {
  folder_.execute("DELETE FROM collections");
  damage("embeddings");
  const SalvageReport report = repaired();
  EXPECT_EQ(report.saved, 0U);
  EXPECT_EQ(report.lost, 300U);
}

TEST(LostDatabaseTest, IdsAndVectorsOfItsIndexesAreBroughtOut) {
  const MadeFolder folder;
  folder.write_index({{"a", {1, 0}}, {"b", {0.5, 1}}});
  const TemporaryFolder beside;
  for (const bool is_there : {true, false}) {
    std::filesystem::resize_file(folder.path() / kDatabaseName, 0);
    if (!is_there) std::filesystem::remove(folder.path() / kDatabaseName);
    const std::filesystem::path output = beside.path() / (is_there ? "empty" : "missing");
    const auto report = repair_folder(folder.path(), output);
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->saved, 0U);
    EXPECT_EQ(report->lost, 2U);
    EXPECT_EQ(report->unassigned, 2U);
    ASSERT_THAT(report->files, ElementsAre("vectors-" + folder.row().vector_segment + ".jsonl"));
    std::ifstream in(output / report->files[0]);
    const std::string lines{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(lines,
              "{\"id\":\"a\",\"label\":1,\"slot\":0,\"vector\":[1.0,0.0]}\n"
              "{\"id\":\"b\",\"label\":2,\"slot\":1,\"vector\":[0.5,1.0]}\n");
    if (is_there) folder.write(folder.path() / kDatabaseName, Bytes());
  }
}

TEST(LostDatabaseTest, WithoutAnyIndexThereIsNothingToRepair) {
  const MadeFolder folder;
  std::filesystem::resize_file(folder.path() / kDatabaseName, 0);
  const TemporaryFolder beside;
  const auto report = repair_folder(folder.path(), beside.path() / "new");
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().kind, ErrorKind::palace_not_found);
}

}  // namespace
}  // namespace loci::chroma
