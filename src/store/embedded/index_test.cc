#include <algorithm>
#include <random>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_lock.h"
#include "loci/upkeep.h"
#include "store/embedded/index_plan.h"
#include "store/embedded/test_palace.h"
#include "vector/test_vectors.h"

namespace loci::embedded {
namespace {

constexpr std::size_t kDimension = 24;
const IndexOptions kSmall{.first_rows = 100, .tail_rows = 50, .scan_bytes_up_to = 0};

class IndexTest : public testing::Test {
 protected:
  void SetUp() override { open(kSmall); }

  void open(const IndexOptions& options) {
    drawers_.reset();
    backend_ = make_embedded_backend(options);
    const auto opened = backend_->collection(palace(), "drawers", {.if_missing = IfMissing::create});
    ASSERT_TRUE(opened.ok());
    drawers_ = *opened;
  }
  PalaceRef palace() const { return PalaceRef::at(folder_.path() / "palace"); }
  std::filesystem::path index_folder() const { return folder_.path() / "palace" / "index"; }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    std::error_code failure;
    for (const auto& entry : std::filesystem::directory_iterator(index_folder(), failure))
      found.push_back(entry.path());
    return found;
  }

  void add(int first, int count) {
    std::vector<Record> records;
    for (int i = first; i < first + count; ++i) {
      records.push_back(record("r" + std::to_string(i), "text", {{"part", std::int64_t{i % 100}}}, source_.next()));
    }
    ASSERT_TRUE(drawers_->upsert(records).ok());
  }
  std::size_t build() {
    const auto built = drawers_->index_pending();
    EXPECT_TRUE(built.ok()) << (built.ok() ? "" : built.error().message);
    return built.ok() ? *built : 0;
  }

  std::vector<std::string> ids(const QueryRequest& request) const {
    const auto result = drawers_->query(request);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    std::vector<std::string> found;
    if (result.ok()) {
      for (const Hit& hit : result->hits[0]) found.push_back(hit.record.id);
    }
    return found;
  }
  // Some queries, by the index and exactly.
  void expect_exact(const Filter& where = {}) {
    std::size_t found = 0;
    std::size_t wanted = 0;
    for (int i = 0; i < 20; ++i) {
      QueryRequest request{.embeddings = {source_.next()}, .where = where};
      const std::vector<std::string> by_index = ids(request);
      request.exact = true;
      const std::vector<std::string> exact = ids(request);
      EXPECT_EQ(by_index.size(), exact.size());
      const std::set<std::string> truth(exact.begin(), exact.end());
      for (const std::string& id : by_index) found += truth.count(id);
      wanted += exact.size();
    }
    EXPECT_GE(static_cast<double>(found), 0.99 * static_cast<double>(wanted));
  }
  Metadata state() const { return *backend_->maintenance_state(palace(), Access::read_write); }
  std::int64_t number(const std::string& key) const { return std::get<std::int64_t>(state().at(key)); }

  TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_;
  std::shared_ptr<Collection> drawers_;
  ClusteredVectors source_{kDimension, 10, 0.6F, 3};
};

TEST_F(IndexTest, AFewVectorsNeedNoSegment) {
  add(0, 99);
  EXPECT_EQ(build(), 0U);
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(state().at("vector_index"), MetadataValue("exact scan"));
}

TEST_F(IndexTest, ManyVectorsMakeASegmentThatFindsWhatAScanFinds) {
  add(0, 400);
  EXPECT_EQ(build(), 400U);
  EXPECT_EQ(files().size(), 1U);
  EXPECT_EQ(state().at("vector_index"), MetadataValue("segments"));
  EXPECT_EQ(number("vector_tail"), 0);
  EXPECT_EQ(build(), 0U) << "nothing is left to do";
  expect_exact();
}

TEST_F(IndexTest, ADamagedVectorIsSetAsideAndTheOthersAreIndexed) {
  add(0, 400);
  const auto connection = *open_connection(folder_.path() / "palace" / kDatabaseName, OpenMode::read_write);
  ASSERT_TRUE(connection
                  ->execute("UPDATE vectors SET checksum = checksum + 1 WHERE row = (SELECT row FROM records "
                            "WHERE id = 'r7')")
                  .ok());
  EXPECT_EQ(drawers_->query({.embeddings = {source_.next()}}).error().kind, ErrorKind::corruption);
  EXPECT_EQ(build(), 399U);
  EXPECT_EQ(number("vector_tail"), 0);
  EXPECT_EQ(drawers_->info()->missing, 1U);
  expect_exact();
  EXPECT_TRUE(backend_->upkeep()->verify(palace(), VerifyDepth::deep)->findings.empty());
  EXPECT_EQ(*drawers_->queue_missing(), 1U);
}

TEST_F(IndexTest, ADamagedVectorAmongLaterOnesIsSetAside) {
  add(0, 400);
  build();
  add(400, 60);
  const auto connection = *open_connection(folder_.path() / "palace" / kDatabaseName, OpenMode::read_write);
  ASSERT_TRUE(connection
                  ->execute("UPDATE vectors SET checksum = checksum + 1 WHERE row IN (SELECT row FROM records "
                            "WHERE id IN ('r7', 'r410'))")
                  .ok());
  EXPECT_EQ(build(), 59U) << "an old segment is not read again";
  EXPECT_EQ(drawers_->info()->missing, 1U);
  EXPECT_EQ(number("vector_tail"), 0);
}

TEST_F(IndexTest, WhatIsInNoSegmentIsFoundWhatIsGoneIsNot) {
  add(0, 400);
  build();
  const std::vector<float> target = source_.next();
  ASSERT_TRUE(drawers_->add(batch(record("new", "text", {}, target))).ok());
  EXPECT_EQ(ids({.embeddings = {target}, .n_results = 1}), std::vector<std::string>{"new"});
  ASSERT_TRUE(drawers_->upsert(batch(record("r7", "text", {}, target))).ok());
  EXPECT_EQ(ids({.embeddings = {target}, .n_results = 2}), (std::vector<std::string>{"new", "r7"}));
  ASSERT_TRUE(drawers_->erase({.ids = {{"new", "r7"}}}).ok());
  const std::vector<std::string> left = ids({.embeddings = {target}, .n_results = 400});
  EXPECT_EQ(left.size(), 399U);
  EXPECT_EQ(std::count(left.begin(), left.end(), "r7"), 0);
  expect_exact();
}

TEST_F(IndexTest, SegmentsAreMergedInTiersAndOldFilesRemoved) {
  add(0, 400);
  build();
  for (int round = 0; round < 20; ++round) {
    add(400 + round * 50, 50);
    add(round * 10, 10);  // some change
    ASSERT_TRUE(drawers_->erase({.ids = {{"r" + std::to_string(399 - round)}}}).ok());
    build();
    EXPECT_EQ(static_cast<std::int64_t>(files().size()), number("vector_segments"));
    EXPECT_EQ(number("vector_rows") + number("vector_tail"), 450 + round * 50 - (round + 1));
  }
  EXPECT_LE(files().size(), 6U);
  expect_exact();
  open(kSmall);
  expect_exact();
}

TEST_F(IndexTest, ALargeSegmentIsSortedIntoListsByTheNextStep) {
  IndexOptions options = kSmall;
  options.partition_rows = 1000;
  open(options);
  source_ = ClusteredVectors(130, 12, 0.5F, 4);
  add(0, 3000);
  add(7, 1);
  EXPECT_EQ(state().at("vector_due"), MetadataValue(true));
  EXPECT_EQ(build(), 3000U) << "flat first, so that it is soon there";
  EXPECT_EQ(number("vector_lists"), 0);
  EXPECT_EQ(state().at("vector_due"), MetadataValue(true));
  ASSERT_TRUE(drawers_->erase({.ids = {{"r3", "r4"}}}).ok());
  add(3000, 50);
  EXPECT_EQ(build(), 50U) << "with slots that are dead";
  EXPECT_EQ(number("vector_dead"), 2);
  EXPECT_EQ(build(), 3000U);
  EXPECT_GT(number("vector_lists"), 1);
  EXPECT_EQ(number("vector_dead"), 2);
  EXPECT_EQ(number("vector_rows"), 3048);
  EXPECT_EQ(files().size(), 2U);
  EXPECT_EQ(build(), 0U);
  EXPECT_EQ(state().at("vector_due"), MetadataValue(false));
  expect_exact();
  EXPECT_EQ(ids({.embeddings = {source_.next()}, .n_results = 10'000}).size(), 3048U);
  open(options);
  expect_exact();
  EXPECT_TRUE(backend_->upkeep()->verify(palace(), VerifyDepth::deep)->findings.empty());
}

TEST_F(IndexTest, DamageThatOnlyTheBuilderMeetsMakesTheSegmentAnew) {
  IndexOptions options = kSmall;
  options.partition_rows = 1000;
  open(options);
  add(0, 3000);
  ASSERT_EQ(build(), 3000U);
  std::string bytes = *read_file(files().front());
  bytes[bytes.size() - 5000] = static_cast<char>(bytes[bytes.size() - 5000] ^ 4);  // among the codes
  ASSERT_TRUE(write_file_atomically(files().front(), bytes).ok());
  open(options);
  EXPECT_EQ(build(), 3000U);
  EXPECT_TRUE(backend_->upkeep()->verify(palace(), VerifyDepth::deep)->findings.empty());
  expect_exact();
}

TEST_F(IndexTest, ListsThatWouldSpareNothingAreTriedOnce) {
  IndexOptions options = kSmall;
  options.partition_rows = 300;
  open(options);
  source_ = ClusteredVectors(kDimension, 1, 30.0F, 3);  // all directions alike
  add(0, 400);
  EXPECT_EQ(build(), 400U);
  EXPECT_EQ(build(), 400U);
  EXPECT_EQ(number("vector_lists"), 0);
  EXPECT_EQ(build(), 0U);
  expect_exact();
}

// Two processes (here: backends) write and ask in turns, so that each meets what it has in memory with what has
// changed.
TEST_F(IndexTest, WhatIsKeptInMemoryFollowsEveryChange) {
  add(0, 400);
  build();
  const auto other = make_embedded_backend(kSmall);
  const auto elsewhere = other->collection(palace(), "drawers", {});
  ASSERT_TRUE(elsewhere.ok());
  const Filter few = *parse_filter(R"({"part": {"$lt": 4}})");
  const Filter many = *parse_filter(R"({"part": {"$gte": 20}})");
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const int first = static_cast<int>(random() % 450);
    switch (random() % 4) {
      case 0: add(first, 5); break;
      case 1: ASSERT_TRUE(drawers_->erase({.ids = {{"r" + std::to_string(first)}}}).ok()); break;
      case 2:
        ASSERT_TRUE(drawers_
                        ->update(std::vector{RecordUpdate{.id = "r" + std::to_string(first),
                                                          .metadata = Metadata{{"part", std::int64_t{1}}}}})
                        .ok());
        break;
      default: build();
    }
    for (const Filter& where : {Filter(), few, many}) {
      QueryRequest request{.embeddings = {source_.next()}, .n_results = 1000, .where = where};
      const auto found = (*elsewhere)->query(request);
      const auto own = drawers_->query(request);
      request.exact = true;
      const auto exact = drawers_->query(request);
      ASSERT_TRUE(found.ok() && own.ok() && exact.ok());
      ASSERT_EQ(found->hits, exact->hits) << "round " << round;
      ASSERT_EQ(own->hits, exact->hits) << "round " << round;
    }
  }
}

TEST_F(IndexTest, FiltersActInsideTheSearch) {
  add(0, 1000);
  build();
  const auto filter = [](std::string_view json) { return *parse_filter(json); };
  for (int round = 0; round < 2; ++round) {  // the second time from the cache
    expect_exact(filter(R"({"part": 7})"));
    expect_exact(filter(R"({"part": {"$lt": 60}})"));
    expect_exact(filter(R"({"part": 1000})"));
  }
  ASSERT_TRUE(drawers_->erase({.ids = {{"r7"}}}).ok());
  add(1007, 1);
  const std::vector<std::string> found =
      ids({.embeddings = {source_.next()}, .n_results = 100, .where = filter(R"({"part": 7})")});
  EXPECT_EQ(found.size(), 10U);
  EXPECT_EQ(std::count(found.begin(), found.end(), "r7"), 0);
  EXPECT_EQ(std::count(found.begin(), found.end(), "r1007"), 1);
}

TEST_F(IndexTest, WhatCannotBeUsedIsReportedAndTheAnswerExactUntilItIsMadeAgain) {
  using Harm = void (*)(const std::filesystem::path&);
  const auto cut = [](const std::filesystem::path& file) { ASSERT_EQ(::truncate(file.c_str(), 5000), 0); };
  const auto empty = [](const std::filesystem::path& file) { ASSERT_EQ(::truncate(file.c_str(), 0), 0); };
  const auto remove = [](const std::filesystem::path& file) { std::filesystem::remove(file); };
  const auto flip = [](const std::filesystem::path& file) {
    std::string bytes = *read_file(file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
    ASSERT_TRUE(write_file_atomically(file, bytes).ok());
  };
  add(0, 300);
  for (const Harm harm : {Harm(cut), Harm(empty), Harm(remove), Harm(flip)}) {
    open(kSmall);
    ASSERT_TRUE(backend_->run_maintenance(palace(), "reindex").ok());
    ASSERT_EQ(files().size(), 1U);
    const std::string file = files().front();
    open(kSmall);
    harm(files().front());
    expect_exact();
    const auto verified = backend_->upkeep()->verify(palace(), VerifyDepth::deep);
    ASSERT_TRUE(verified.ok());
    ASSERT_EQ(verified->findings.size(), 1U);
    EXPECT_EQ(verified->findings[0].check, "vector_index");
    EXPECT_NE(verified->findings[0].detail.find(std::filesystem::path(file).filename()), std::string::npos);
    EXPECT_EQ(build(), 300U) << "made again";
    EXPECT_TRUE(backend_->upkeep()->verify(palace(), VerifyDepth::deep)->findings.empty());
    EXPECT_EQ(state().at("vector_index"), MetadataValue("segments"));
  }
}

TEST_F(IndexTest, DamageThatAQueryMeetsIsReportedAndMadeAgainByWhoeverComesNext) {
  add(0, 3000);
  build();
  const std::filesystem::path file = files().front();
  open(kSmall);
  std::string bytes = *read_file(file);
  for (std::size_t at = bytes.size() / 2; at < bytes.size() * 9 / 10; at += 1000)
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
  ASSERT_TRUE(write_file_atomically(file, bytes).ok());
  EXPECT_EQ(state().at("vector_due"), MetadataValue(false)) << "nobody has met it yet";
  expect_exact();
  EXPECT_NE(drawers_->info()->index_problem.find(file.filename()), std::string::npos);
  EXPECT_EQ(state().at("vector_index"), MetadataValue("unusable"));
  EXPECT_FALSE(state().contains("vector_recall")) << "of what is not used";
  open(kSmall);  // another process
  EXPECT_EQ(state().at("vector_due"), MetadataValue(true));
  EXPECT_EQ(build(), 3000U);
  EXPECT_EQ(state().at("vector_index"), MetadataValue("segments"));
  EXPECT_EQ(files().size(), 1U) << "the mark is gone with what it marked";
  expect_exact();
  EXPECT_EQ(drawers_->info()->index_problem, "");
}

TEST_F(IndexTest, AFileThatIsCutOffWhileItIsMappedGivesTheExactAnswer) {
  add(0, 3000);
  build();
  expect_exact();
  ASSERT_EQ(::truncate(files().front().c_str(), 20'000), 0);
  expect_exact();
  EXPECT_EQ(state().at("vector_index"), MetadataValue("unusable"));
  EXPECT_EQ(state().at("vector_due"), MetadataValue(true)) << "so that a worker is started";
  EXPECT_NE(drawers_->health().detail.find("reindex"), std::string::npos);
  EXPECT_EQ(build(), 3000U);
  EXPECT_EQ(state().at("vector_index"), MetadataValue("segments"));
}

TEST_F(IndexTest, ASegmentOfAnotherPalaceOrModelIsNotUsed) {
  add(0, 300);
  build();
  ASSERT_TRUE(backend_->set_embedder(palace(), "drawers", "other model", {}, ModelSwap::force).ok());
  EXPECT_EQ(number("vector_segments"), 0);
  EXPECT_EQ(build(), 300U);
  expect_exact();
  // The same database with another identity, as a copy of the folder would have it after it was made a new palace.
  backend_->close_palace(palace());
  const auto connection = open_connection(folder_.path() / "palace" / kDatabaseName, OpenMode::read_write);
  ASSERT_TRUE((*connection)->execute("UPDATE palace SET value = 'x' WHERE key = 'palace_id'").ok());
  expect_exact();
  EXPECT_EQ(state().at("vector_index"), MetadataValue("unusable"));
  EXPECT_EQ(build(), 300U);
}

TEST_F(IndexTest, ACollectionThatIsDeletedTakesItsSegmentsAlong) {
  add(0, 300);
  build();
  ASSERT_TRUE(backend_->delete_collection(palace(), "drawers").ok());
  open(kSmall);
  add(0, 300);
  EXPECT_EQ(build(), 300U);
  EXPECT_EQ(files().size(), 1U) << "the old file is gone";
  expect_exact();
}

TEST_F(IndexTest, OneBuilderAtATime) {
  add(0, 300);
  {
    auto lease = LockFile::open(folder_.path() / "palace" / "index.lock");
    ASSERT_TRUE(lease.ok() && lease->try_lock(0));
    EXPECT_EQ(build(), 0U);
  }
  EXPECT_EQ(build(), 300U);
}

TEST_F(IndexTest, ReadersGoOnWhileSegmentsAreReplaced) {
  add(0, 400);
  build();
  std::atomic<bool> is_done = false;
  std::thread reader([&] {
    const auto other = make_embedded_backend(kSmall);
    const auto opened = other->collection(palace(), "drawers", {});
    ClusteredVectors source(kDimension, 10, 0.6F, 5);
    while (!is_done) {
      const auto result = (*opened)->query({.embeddings = {source.next()}});
      ASSERT_TRUE(result.ok()) << result.error().message;
      EXPECT_EQ(result->hits[0].size(), 10U);
    }
  });
  for (int round = 0; round < 10; ++round) {
    add(400 + round * 50, 50);
    build();
  }
  is_done = true;
  reader.join();
}

TEST_F(IndexTest, AReadOnlyPalaceIsSearchedByItsIndexAndNotChanged) {
  add(0, 300);
  build();
  backend_->close();
  backend_ = make_embedded_backend(kSmall);
  const auto opened = backend_->collection(palace(), "drawers", {.access = Access::read_only});
  ASSERT_TRUE(opened.ok());
  drawers_ = *opened;
  expect_exact();
  EXPECT_EQ(build(), 0U);
}

TEST_F(IndexTest, ABackupHasNoSegmentsAndIsWhole) {
  add(0, 300);
  build();
  const std::filesystem::path file = folder_.path() / "backup.db";
  ASSERT_TRUE(backend_->upkeep()->backup(palace(), file).ok());
  const PalaceRef restored = PalaceRef::at(folder_.path() / "restored");
  ASSERT_TRUE(backend_->upkeep()->restore(file, restored).ok());
  EXPECT_TRUE(backend_->upkeep()->verify(restored, VerifyDepth::deep)->findings.empty());
}

TEST(IndexPlanTest, SegmentsThatAreNotMuchLargerAreTakenIn) {
  const auto segment = [](std::int64_t id, std::size_t rows, std::size_t dead = 0) {
    return SegmentRow{.id = id, .rows = rows, .dead = dead};
  };
  const auto merged = [](std::vector<SegmentRow> segments, std::size_t tail) {
    std::vector<std::int64_t> ids;
    for (const SegmentRow& row : segments_to_merge(std::move(segments), tail)) ids.push_back(row.id);
    return ids;
  };
  EXPECT_EQ(merged({segment(1, 100'000), segment(2, 3000), segment(3, 1500)}, 1000), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(merged({segment(1, 100'000)}, 1000), std::vector<std::int64_t>());
  EXPECT_EQ(merged({segment(1, 100'000, 30'000)}, 1000), std::vector<std::int64_t>{1}) << "much of it is dead";
}

}  // namespace
}  // namespace loci::embedded
