#include "store/embedded/maintenance.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "store/embedded/maintenance_lease.h"
#include "store/embedded/test_palace.h"
#include "store/embedded/words_rebuild.h"

namespace loci::embedded {
namespace {

using testing::ElementsAre;

class MaintenanceTest : public testing::Test {
 protected:
  void SetUp() override { palace_.drawers(); }

  MaintenanceReport run(std::string_view kind) {
    const Result<MaintenanceReport> report = palace_.backend().run_maintenance(palace_.ref(), kind);
    EXPECT_TRUE(report.ok()) << kind << ": " << (report.ok() ? "" : report.error().message);
    return report.ok() ? *report : MaintenanceReport{};
  }
  MaintenanceStatus status_of(std::string_view kind) { return run(kind).status; }

  Metadata state(Access access = Access::read_write) {
    const Result<Metadata> state = palace_.backend().maintenance_state(palace_.ref(), access);
    EXPECT_TRUE(state.ok()) << (state.ok() ? "" : state.error().message);
    return state.ok() ? *state : Metadata{};
  }

  static std::int64_t number(const Metadata& metadata, const std::string& key) {
    return std::get<std::int64_t>(metadata.at(key));
  }

  void fill(int records, int words = 200) {
    std::vector<Record> batch;
    for (int i = 0; i < records; ++i) {
      std::string text = "common";
      for (int word = 0; word < words; ++word) text += " word" + std::to_string((i * 31 + word * 17) % 4000);
      batch.push_back(record("id" + std::to_string(i), text, {}, Embedding{static_cast<float>(i + 1), 1, 2}));
    }
    ASSERT_TRUE(palace_.drawers()->upsert(batch).ok());
  }
  void erase_below(int count) {
    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i) ids.push_back("id" + std::to_string(i));
    ASSERT_TRUE(palace_.drawers()->erase({.ids = ids}).ok());
  }
  std::size_t matches(const std::string& word) {
    const auto hits = palace_.drawers()->match({.text = word, .n_results = 10'000});
    EXPECT_TRUE(hits.ok()) << (hits.ok() ? "" : hits.error().message);
    return hits.ok() ? hits->size() : 0;
  }
  std::vector<std::string> findings() {
    const auto report = palace_.backend().upkeep()->verify(palace_.ref(), VerifyDepth::deep);
    EXPECT_TRUE(report.ok());
    std::vector<std::string> details;
    for (const Finding& finding : report->findings) details.push_back(finding.detail);
    return details;
  }

  TestPalace palace_;
};

TEST_F(MaintenanceTest, AnEmptyPalaceHasNothingToDo) {
  EXPECT_EQ(status_of("analyze"), MaintenanceStatus::noop);
  EXPECT_EQ(status_of("reindex"), MaintenanceStatus::noop);
  status_of("compact");  // the log of making the palace
  EXPECT_EQ(status_of("compact"), MaintenanceStatus::noop);
}

TEST_F(MaintenanceTest, AnalyzeRunsOnceForEachState) {
  fill(50);
  const MaintenanceReport first = run("analyze");
  EXPECT_EQ(first.status, MaintenanceStatus::ran);
  EXPECT_EQ(number(first.stats, "rows"), 50);
  EXPECT_GT(number(first.stats, "statistics"), 0);
  EXPECT_EQ(status_of("analyze"), MaintenanceStatus::noop);
  EXPECT_EQ(number(state(), "analyzed_seq"), number(state(), "seq"));
  erase_below(1);
  EXPECT_EQ(status_of("analyze"), MaintenanceStatus::ran);
  ASSERT_TRUE(palace_.backend().delete_collection(palace_.ref(), "drawers").ok());
  EXPECT_EQ(status_of("analyze"), MaintenanceStatus::ran) << "rows that went with their collection";
}

TEST_F(MaintenanceTest, CompactGivesSpaceBackOnce) {
  fill(400);
  erase_below(390);
  const MaintenanceReport report = run("compact");
  EXPECT_EQ(report.status, MaintenanceStatus::ran);
  EXPECT_GT(number(report.stats, "freed_pages"), 0);
  EXPECT_LT(number(report.stats, "bytes_after"), number(report.stats, "bytes_before") / 2);
  EXPECT_EQ(number(state(), "wal_bytes"), 0);
  EXPECT_EQ(number(state(), "free_pages"), 0);
  EXPECT_EQ(status_of("compact"), MaintenanceStatus::noop);
  EXPECT_EQ(matches("common"), 10U);
  EXPECT_THAT(findings(), ElementsAre());
}

TEST_F(MaintenanceTest, CompactMergesTheWordIndex) {
  for (int round = 0; round < 5; ++round) fill(20, 10 + round);
  EXPECT_GT(number(run("compact").stats, "word_merge_steps"), 0);
  EXPECT_EQ(number(run("compact").stats, "word_merge_steps"), 0);
  EXPECT_EQ(matches("common"), 20U);
}

TEST_F(MaintenanceTest, CompactLeavesTheChangeFeedAsItWas) {
  fill(300);
  erase_below(250);
  fill(10);
  const auto before = palace_.drawers()->changes_since(0, 10'000);
  ASSERT_TRUE(before.ok());
  ASSERT_EQ(status_of("compact"), MaintenanceStatus::ran);
  EXPECT_EQ(*palace_.drawers()->changes_since(0, 10'000), *before);
}

TEST_F(MaintenanceTest, CompactDoesNotWaitForAReader) {
  fill(100);
  const auto reader = palace_.connect();
  ASSERT_TRUE(reader->execute("BEGIN; SELECT count(*) FROM records").ok());
  fill(100);
  const MaintenanceReport report = run("compact");
  EXPECT_FALSE(std::get<bool>(report.stats.at("log_emptied")));
  ASSERT_TRUE(reader->execute("ROLLBACK").ok());
  EXPECT_TRUE(std::get<bool>(run("compact").stats.at("log_emptied")));
}

TEST_F(MaintenanceTest, ReindexMakesALostWordIndexAgain) {
  fill(1200, 3);  // more than one step
  palace_.execute("DELETE FROM words_1 WHERE rowid % 2 = 0");
  EXPECT_EQ(matches("common"), 600U);
  const MaintenanceReport report = run("reindex");
  EXPECT_EQ(report.status, MaintenanceStatus::ran);
  EXPECT_EQ(number(report.stats, "word_rows"), 1200);
  EXPECT_EQ(matches("common"), 1200U);
  EXPECT_THAT(findings(), ElementsAre());
}

TEST_F(MaintenanceTest, ReindexMendsWhatAUniqueIndexForbids) {
  fill(3);
  palace_.execute("DROP INDEX records_by_id; UPDATE records SET id = 'id0' WHERE id = 'id1'");
  palace_.execute("CREATE INDEX records_by_id ON records(collection, id)");  // one that forbids nothing
  EXPECT_EQ(status_of("reindex"), MaintenanceStatus::ran);
  EXPECT_EQ(*palace_.drawers()->count(), 2U);
  EXPECT_EQ(palace_.query("SELECT count(*) FROM pragma_index_list('records') WHERE name = 'records_by_id' "
                          "AND \"unique\" = 1"),
            1);
}

TEST_F(MaintenanceTest, ReindexKeepsCollectionsApart) {
  fill(5);
  const auto other = palace_.backend().collection(palace_.ref(), "other", {.if_missing = IfMissing::create});
  ASSERT_TRUE((*other)->add(batch(record("x", "common elsewhere"))).ok());
  EXPECT_EQ(number(run("reindex").stats, "word_rows"), 6);
  EXPECT_EQ(matches("common"), 5U);
  EXPECT_EQ((*other)->match({.text = "common"})->size(), 1U);
}

TEST_F(MaintenanceTest, WhatIsWrittenDuringAReindexIsInTheNewIndex) {
  fill(3000, 30);
  std::atomic<bool> is_done = false;
  std::thread writer([&] {
    const auto backend = make_embedded_backend();
    const auto drawers = backend->collection(palace_.ref(), "drawers", {});
    ASSERT_TRUE(drawers.ok());
    for (int i = 0; !is_done; i = (i + 1) % 1000) {
      ASSERT_TRUE((*drawers)->upsert(batch(record("id" + std::to_string(i), "changed"))).ok());
      ASSERT_TRUE((*drawers)->erase({.ids = {{"id" + std::to_string(2000 + i)}}}).ok());
      ASSERT_TRUE((*drawers)->upsert(batch(record("new" + std::to_string(i), "fresh"))).ok());
    }
  });
  for (int round = 0; round < 2; ++round) EXPECT_EQ(status_of("reindex"), MaintenanceStatus::ran);
  is_done = true;
  writer.join();
  EXPECT_THAT(findings(), ElementsAre());
}

TEST_F(MaintenanceTest, WhatAKilledRebuildLeftIsRemoved) {
  fill(3);
  palace_.execute(
      "CREATE VIRTUAL TABLE rebuilt_words_1 USING fts5(text, content='', contentless_delete=1, "
      "tokenize='loci')");
  EXPECT_EQ(status_of("compact"), MaintenanceStatus::ran);
  EXPECT_EQ(palace_.query("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'rebuilt%'"), 0);
}

TEST_F(MaintenanceTest, ASecondCallerIsToldWhatRunsAndSinceWhen) {
  fill(3);
  {
    const auto lease = MaintenanceLease::take(palace_.folder(), "reindex");
    ASSERT_TRUE(lease.ok() && lease->has_value());
    for (const std::string& kind : maintenance_kinds()) {
      const MaintenanceReport report = run(kind);
      EXPECT_EQ(report.kind, kind);
      EXPECT_EQ(report.status, MaintenanceStatus::already_running);
      EXPECT_EQ(std::get<std::string>(report.stats.at("running")), "reindex");
    }
    for (const Access access : {Access::read_write, Access::read_only}) {
      const Metadata seen = state(access);
      EXPECT_EQ(std::get<std::string>(seen.at("running")), "reindex");
      EXPECT_EQ(number(seen, "running_process"), ::getpid());
      EXPECT_TRUE(std::get<std::string>(seen.at("running_since")).ends_with('Z'));
    }
  }
  EXPECT_FALSE(state().contains("running")) << "the note is still there, and nobody holds the lease";
  EXPECT_EQ(status_of("reindex"), MaintenanceStatus::ran);
}

TEST_F(MaintenanceTest, OfManyCallersAtOnceAllAreAnsweredAndOneRuns) {
  fill(500, 20);
  std::atomic<int> ran = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      const auto backend = make_embedded_backend();
      const auto report = backend->run_maintenance(palace_.ref(), "reindex");
      ASSERT_TRUE(report.ok()) << report.error().message;
      ran += report->status == MaintenanceStatus::ran ? 1 : 0;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_GE(ran, 1);
  EXPECT_THAT(findings(), ElementsAre());
}

TEST_F(MaintenanceTest, LookingCreatesNoFile) {
  EXPECT_FALSE(running_maintenance(palace_.folder()).value().has_value());
  EXPECT_FALSE(std::filesystem::exists(palace_.folder() / "maintenance.lock"));
}

}  // namespace
}  // namespace loci::embedded
