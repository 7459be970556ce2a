// Files at rest are damaged at random places: bits flipped, pages zeroed, ends cut off. Each time the damage is noticed
// or harmless: no crash, and never a wrong text.
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/temporary_folder.h"
#include "store/embedded/database.h"
#include "store/embedded/embedded_backend.h"
#include "store/embedded/sqlite.h"
#include "tests/crash/effort.h"

namespace loci::crash {
namespace {

constexpr int kRecords = 120;
constexpr int kDamages = 300;

std::string id_of(int i) { return "record-" + std::to_string(i); }
std::string text_of(int i) {
  return "the text number " + std::to_string(i) + " says " +
         std::string(static_cast<std::size_t>(50 + i * 13), static_cast<char>('a' + i % 26));
}

enum class DamageKind { flipped_bit, zeroed_page, cut_end };

void damage(std::string& content, DamageKind kind, std::mt19937& random) {
  constexpr std::size_t kPage = 4096;
  switch (kind) {
    case DamageKind::flipped_bit: {
      const std::size_t at = random() % content.size();
      content[at] = static_cast<char>(content[at] ^ (1 << random() % 8));
      break;
    }
    case DamageKind::zeroed_page: {
      const std::size_t page = random() % (content.size() / kPage);
      std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(page * kPage), kPage, '\0');
      break;
    }
    case DamageKind::cut_end: content.resize(random() % content.size()); break;
  }
}

class DamageTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> in_memory = TemporaryFolder::create_in("/dev/shm");
    if (in_memory.ok()) folder_ = std::move(*in_memory);
    const auto backend = make_embedded_backend();
    const auto collection = backend->collection(palace("whole"), "drawers", {.if_missing = IfMissing::create});
    ASSERT_TRUE(collection.ok());
    std::vector<Record> records;
    for (int i = 0; i < kRecords; ++i) {
      records.push_back({.id = id_of(i),
                         .document = text_of(i),
                         .metadata = {{"number", i}, {"wing", "w"}},
                         .embedding = Embedding{static_cast<float>(i + 1), 1, 2, 3}});
      if (i % 3 == 0) {  // some are ingested, from two sources
        const std::string source = "/source-" + std::to_string(i % 2);
        records.back().metadata["source_file"] = source;
        records.back().details.emplace().key = UniqueKey{source, to_hex(sha256(text_of(i))), 0};
      }
    }
    ASSERT_TRUE((*collection)->add(records).ok());
    backend->close();
    whole_ = *read_file(file("whole"));
  }

  PalaceRef palace(const std::string& name) const { return PalaceRef::at(folder_.path() / name); }
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name / embedded::kDatabaseName; }

  void write_damaged(const std::string& content) {
    std::filesystem::remove_all(folder_.path() / "damaged");
    ASSERT_TRUE(make_private_folder(folder_.path() / "damaged").ok());
    ASSERT_TRUE(write_file_atomically(file("damaged"), content).ok());
  }

  static void expect_true(const Record& record) {
    const int number = record.id.starts_with("record-") ? std::atoi(record.id.c_str() + 7) : -1;
    ASSERT_TRUE(number >= 0 && number < kRecords && id_of(number) == record.id)
        << "an id that was never stored: " << record.id;
    EXPECT_EQ(record.document, text_of(number)) << "a wrong text";
    EXPECT_EQ(record.metadata.at("number"), MetadataValue(number)) << "wrong metadata";
    if (number % 3 == 0) {
      EXPECT_EQ(record.metadata.at("source_file"), MetadataValue("/source-" + std::to_string(number % 2)));
    }
  }

  // Reads in every way there is. True: something was noticed.
  bool read_everything(Access access) const {
    const auto backend = make_embedded_backend();
    const auto verified = backend->upkeep()->verify(palace("damaged"), VerifyDepth::deep);
    bool noticed = !verified.ok() || !verified->findings.empty();
    const auto collection = backend->collection(palace("damaged"), "drawers", {.access = access});
    if (!collection.ok()) return true;
    const auto records = (*collection)->get({});
    noticed = noticed || !records.ok() || records->size() != kRecords;
    if (records.ok()) {
      for (const Record& record : *records) expect_true(record);
    }
    for (int i = 0; i < kRecords; i += 17) {
      const auto one = (*collection)->get({.selection = {.ids = {{id_of(i)}}}});
      if (one.ok() && !one->empty()) expect_true(one->front());
    }
    const auto hits = (*collection)->match({.text = "number says", .n_results = 20});
    if (hits.ok()) {
      for (const WordHit& hit : *hits) expect_true(hit.record);
    }
    const auto near = (*collection)->query({.embeddings = {{1, 1, 2, 3}}});
    if (near.ok()) {
      for (const Hit& hit : near->hits[0]) expect_true(hit.record);
    }
    return noticed;
  }

  TemporaryFolder folder_;
  std::string whole_;
};

TEST_F(DamageTest, DamageIsNoticedOrHarmlessAndNeverAWrongText) {
  const unsigned seed = test_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  Effort damages(kDamages);
  std::int64_t noticed = 0;
  for (; !damages.is_enough(); damages.add()) {
    std::string content = whole_;
    damage(content, static_cast<DamageKind>(damages.done() % 3), random);
    write_damaged(content);
    const Access access = damages.done() % 2 == 0 ? Access::read_only : Access::read_write;
    if (read_everything(access)) ++noticed;
    ASSERT_FALSE(HasFailure()) << "in round " << damages.done();
  }
  EXPECT_GT(noticed, damages.done() / 2) << "most damage hits something that is used";
  damages.report("damaged files", std::to_string(noticed) + " noticed, 0 wrong texts");
}

TEST_F(DamageTest, AFileThatWasCutToNothingIsNoticedAndItsLogStays) {
  const std::filesystem::path log = file("damaged").string() + "-wal";
  for (const std::string content : {"", "what was acknowledged last"}) {
    write_damaged("");
    ASSERT_TRUE(content.empty() || write_file_atomically(log, content).ok());
    for (const Access access : {Access::read_only, Access::read_write}) EXPECT_TRUE(read_everything(access)) << content;
    const auto made =
        make_embedded_backend()->collection(palace("damaged"), "drawers", {.if_missing = IfMissing::create});
    EXPECT_EQ(made.ok(), content.empty()) << "only where no log is lost by it";
    if (!content.empty()) {
      EXPECT_EQ(*read_file(log), content);
    }
  }
}

// The test can fail: read past the checksums, some of the same damages do give wrong texts.
TEST_F(DamageTest, WithoutTheChecksumsWrongTextsAreServed) {
  std::mt19937 random(3);
  int wrong = 0;
  for (int round = 0; round < kDamages; ++round) {
    std::string content = whole_;
    damage(content, DamageKind::flipped_bit, random);
    write_damaged(content);
    const auto connection = embedded::open_connection(file("damaged"), embedded::OpenMode::immutable);
    if (!connection.ok()) continue;
    auto select = (*connection)->prepare("SELECT r.id, d.text FROM records r JOIN documents d ON d.row = r.row");
    while (select.ok()) {
      const Result<bool> row = select->step();
      if (!row.ok() || !*row) break;
      const std::string id(select->text(0));
      if (id.starts_with("record-") && select->text(1) != text_of(std::atoi(id.c_str() + 7))) ++wrong;
    }
  }
  EXPECT_GT(wrong, 0);
}

}  // namespace
}  // namespace loci::crash
