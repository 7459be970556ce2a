// A file is cut off under a reader and a writer that have it open. They get an error or the rows that are still there,
// never a crash or a wrong text.
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/temporary_folder.h"
#include "store/embedded/database.h"
#include "store/embedded/embedded_backend.h"

namespace loci::crash {
namespace {

constexpr int kRecords = 400;

std::string text_of(int i) { return "text " + std::to_string(i) + std::string(300, static_cast<char>('a' + i % 26)); }

class TruncationTest : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  PalaceRef palace() const { return PalaceRef::at(folder_.path() / "palace"); }

  std::vector<Record> records() const {
    std::vector<Record> made;
    for (int i = 0; i < kRecords; ++i)
      made.push_back(
          {.id = std::to_string(i), .document = text_of(i), .embedding = Embedding{1.0F + static_cast<float>(i), 2}});
    return made;
  }

  static void expect_true(const Record& record) { EXPECT_EQ(record.document, text_of(std::atoi(record.id.c_str()))); }

  TemporaryFolder folder_;
};

TEST_P(TruncationTest, UnderAReaderIsAnErrorAndNeverAWrongText) {
  const auto& [name, percent] = GetParam();
  const auto writer = make_embedded_backend();
  const auto written = writer->collection(palace(), "drawers", {.if_missing = IfMissing::create});
  ASSERT_TRUE(written.ok());
  ASSERT_TRUE((*written)->add(records()).ok());
  const bool cuts_database = name == embedded::kDatabaseName;
  if (cuts_database) writer->close_palace(palace());  // moves the log into the file
  const auto reader = make_embedded_backend();
  const auto drawers = reader->collection(palace(), "drawers", {});
  ASSERT_TRUE(drawers.ok());
  ASSERT_EQ((*drawers)->get({.limit = 1})->size(), 1U);

  const std::filesystem::path file = folder_.path() / "palace" / name;
  const auto size = static_cast<off_t>(std::filesystem::file_size(file));
  ASSERT_GT(size, 100'000);
  ASSERT_EQ(::truncate(file.c_str(), size * percent / 100), 0);

  for (int round = 0; round < 3; ++round) {
    if (const auto all = (*drawers)->get({}); all.ok()) {
      for (const Record& record : *all) expect_true(record);
    }
    if (const auto hits = (*drawers)->match({.text = "text"}); hits.ok()) {
      for (const WordHit& hit : *hits) expect_true(hit.record);
    }
    if (const auto near = (*drawers)->query({.embeddings = {{1, 2}}}); near.ok()) {
      for (const Hit& hit : near->hits[0]) expect_true(hit.record);
    }
    static_cast<void>(
        (*written)->add(std::vector<Record>{{.id = "new" + std::to_string(round), .document = text_of(0)}}));
    reader->close_palace(palace());  // the next round opens what is left
  }
  const auto verified = make_embedded_backend()->upkeep()->verify(palace(), VerifyDepth::deep);
  const bool is_noticed = !verified.ok() || !verified->findings.empty();
  EXPECT_TRUE(is_noticed || !cuts_database) << "the loss must be noticed";
}

INSTANTIATE_TEST_SUITE_P(Files, TruncationTest,
                         testing::Combine(testing::Values("palace.db", "palace.db-wal"), testing::Values(0, 30, 90)));

}  // namespace
}  // namespace loci::crash
