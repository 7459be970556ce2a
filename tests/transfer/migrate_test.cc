// V1 to V5: one palace becomes another without loss, or says what is missing, and can be interrupted.
#include "ops/migrate.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gmock/gmock.h>

#include "ops/compare.h"
#include "store/embedded/embedded_backend.h"
#include "tests/transfer/fixture.h"
#include "tests/transfer/generated_records.h"
#include "tests/transfer/interposed_backend.h"

namespace loci::transfer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MigrateTest : public TransferTest {
 protected:
  Result<MigrateReport> migrated(const MigrateRequest& request) { return migrate(*backend_, *backend_, request); }
  Result<MigrateReport> migrated() { return migrated({.source = source_, .target = target_}); }

  std::vector<std::string> collections_of(const PalaceRef& palace) {
    std::vector<std::string> names;
    for (const CollectionInfo& info : *backend_->collections(palace, Access::read_only)) names.push_back(info.name);
    return names;
  }

  // Records with a vector each.
  static std::vector<Record> whole_records(std::size_t count) {
    std::vector<Record> records;
    for (std::size_t i = 0; i < count; ++i) {
      records.push_back({.id = "id" + std::to_string(i),
                         .document = "text " + std::to_string(i),
                         .metadata = {{"n", static_cast<std::int64_t>(i)}},
                         .embedding = Embedding{1, static_cast<float>(i)}});
    }
    return records;
  }

  const PalaceRef source_ = palace("source");
};

TEST_P(MigrateTest, EveryRecordOfEveryCollectionComesOverAsItWas) {
  RecordGenerator generator(7);
  fill(source_, "drawers", generator.records(300, 8), DistanceMetric::l2);
  fill(source_, "closets", generator.records(50, 4));
  ASSERT_TRUE(backend_->set_embedder(source_, "drawers", "some model", 8, ModelSwap::refuse).ok());
  const auto report = migrated();
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_THAT(collections_of(target_), ElementsAre("closets", "drawers", kMigrationsCollection));
  for (const char* name : {"drawers", "closets"}) {
    EXPECT_EQ(records_of(target_, name), records_of(source_, name)) << name;
    EXPECT_EQ(info_of(target_, name).metric, info_of(source_, name).metric);
    EXPECT_EQ(info_of(target_, name).model, info_of(source_, name).model);
    EXPECT_EQ(info_of(target_, name).dimension, info_of(source_, name).dimension);
  }
  EXPECT_EQ(report->record.records, 350U);
  EXPECT_TRUE(report->record.is_lossless);
  const auto compared = compare_palaces(*backend_, *backend_, {.palace = target_, .source = source_});
  ASSERT_TRUE(compared.ok());
  EXPECT_EQ(compared->equal, 350U);
  EXPECT_EQ(compared->differences, 0U);
}

TEST_P(MigrateTest, NoMoreIsReadThanTheWriterCanFollow) {
  constexpr std::size_t kAll = 8'000;
  std::vector<Record> records = whole_records(kAll);
  for (Record& record : records) record.document.append(8'000, 'x');  // 64 MB
  fill(source_, "drawers", records);
  std::atomic<std::size_t> thousands_read = 0;
  std::size_t read_before_the_first_write = 0;
  const auto slow = interpose(*backend_, [&](std::span<const Record> batch) -> Status {
    if (read_before_the_first_write == 0 && batch.size() > 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      read_before_the_first_write = thousands_read * 1'000;
    }
    return ok_status();
  });
  const auto report = migrate(*backend_, *slow, {.source = source_, .target = target_}, {.is_cancelled = [&] {
    ++thousands_read;
    return false;
  }});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GT(read_before_the_first_write, 0U);
  EXPECT_LT(read_before_the_first_write, kAll / 2);
}

TEST_P(MigrateTest, ARecordWithoutAVectorIsMissingOneAndDoesNotWait) {
  std::vector<Record> records = whole_records(3);
  records[1].embedding.reset();
  fill(source_, "drawers", records);
  const auto report = migrated();
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->collections.size(), 1U);
  EXPECT_EQ(report->collections[0].missing, 1U);
  EXPECT_THAT(report->collections[0].missing_ids, ElementsAre("id1"));
  EXPECT_EQ(report->record.missing, 1U);
  if (GetParam() == "memory") return;  // it knows no such state
  EXPECT_EQ(info_of(target_, "drawers").pending, 0U);
  EXPECT_EQ(info_of(target_, "drawers").missing, 1U);
  const auto drawers = backend_->collection(target_, "drawers", {});
  EXPECT_EQ(*(*drawers)->queue_missing(), 1U);
  EXPECT_EQ(info_of(target_, "drawers").pending, 1U);
  EXPECT_EQ(info_of(target_, "drawers").missing, 0U);
}

TEST_P(MigrateTest, TheTargetMustBeFreeUnlessItIsOverwritten) {
  fill(source_, "drawers", whole_records(3));
  fill(target_, "drawers", whole_records(9));
  fill(target_, "others", whole_records(1));
  const auto refused = migrated();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::already_exists);
  EXPECT_EQ(records_of(target_, "drawers").size(), 9U);
  const auto report = migrated({.source = source_, .target = target_, .overwrite = true});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(records_of(target_, "drawers"), records_of(source_, "drawers"));
  EXPECT_EQ(records_of(target_, "others").size(), 1U) << "what has another name stays";
  EXPECT_THAT(report->record.overrides, ElementsAre("overwrite"));
}

TEST_P(MigrateTest, TheRecordOfTheMigrationSaysWhereFromAndHow) {
  fill(source_, "drawers", whole_records(3));
  const auto report = migrated({.source = source_, .target = target_, .source_model = "named"});
  ASSERT_TRUE(report.ok());
  const auto record = read_migration_record(*backend_, target_, Access::read_only);
  ASSERT_TRUE(record.ok() && record->has_value());
  EXPECT_EQ(**record, report->record);
  EXPECT_EQ((*record)->phase, MigrationPhase::complete);
  EXPECT_EQ((*record)->source, source_.id);
  EXPECT_EQ((*record)->source_backend, backend_->info().name);
  EXPECT_EQ((*record)->records, 3U);
  EXPECT_EQ((*record)->source_model, "");
  EXPECT_EQ((*record)->target_model, "named");
  EXPECT_EQ(info_of(target_, "drawers").model, "named");
  EXPECT_EQ(migrated().error().kind, ErrorKind::already_exists) << "it is complete";
}

TEST_P(MigrateTest, ARecordOfAMigrationIsNotMigratedOn) {
  fill(source_, "drawers", whole_records(3));
  ASSERT_TRUE(migrated().ok());
  const PalaceRef third = palace("third");
  const auto report = migrated({.source = target_, .target = third});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->collections.size(), 1U);
  EXPECT_EQ((*read_migration_record(*backend_, third, Access::read_only))->source, target_.id);
}

TEST_P(MigrateTest, AModelThatContradictsTheSourceIsRefusedUnlessForced) {
  fill(source_, "drawers", whole_records(3));
  ASSERT_TRUE(backend_->set_embedder(source_, "drawers", "this", 2, ModelSwap::refuse).ok());
  EXPECT_EQ(migrated({.source = source_, .target = target_, .source_model = "that"}).error().kind,
            ErrorKind::embedder_mismatch);
  ASSERT_TRUE(
      migrated({.source = source_, .target = target_, .source_model = "that", .model_swap = ModelSwap::force}).ok());
  EXPECT_EQ(info_of(target_, "drawers").model, "that");
}

TEST_P(MigrateTest, AnInterruptedOneGoesOnAndDoublesNothing) {
  fill(source_, "closets", whole_records(10));
  fill(source_, "drawers", whole_records(10'000));
  int writes = 0;
  const auto breaking = interpose(*backend_, [&](std::span<const Record> records) -> Status {
    if (records.size() < 1'000 || ++writes < 3) return ok_status();
    return Error{ErrorKind::io, "the disk is full"};
  });
  const MigrateRequest request{.source = source_, .target = target_};
  const auto broken = migrate(*backend_, *breaking, request);
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().kind, ErrorKind::io);
  const std::size_t there = records_of(target_, "drawers").size();
  EXPECT_GT(there, 0U);
  EXPECT_LT(there, 10'000U);
  const auto report = migrated();
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->is_resumed);
  EXPECT_EQ(report->collections[1].already_there, there);
  EXPECT_EQ(report->collections[1].written, 10'000U - there);
  EXPECT_EQ(records_of(target_, "drawers").size(), 10'000U);
  EXPECT_EQ(compare_palaces(*backend_, *backend_, {.palace = target_, .source = source_})->differences, 0U);
}

TEST_P(MigrateTest, WhatTheTargetCannotKeepIsNamedAndTheRestComesOver) {
  fill(source_, "drawers", whole_records(100));
  const auto choosy = interpose(*backend_, [&](std::span<const Record> records) -> Status {
    for (const Record& record : records) {
      if (record.id == "id42") return Error{ErrorKind::invalid_argument, "not this one"};
    }
    return ok_status();
  });
  const auto report = migrate(*backend_, *choosy, {.source = source_, .target = target_});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->collections[0].refused, 1U);
  EXPECT_EQ(report->collections[0].written, 99U);
  EXPECT_THAT(report->collections[0].refusals, ElementsAre(HasSubstr("id42")));
}

TEST_P(MigrateTest, AVectorIsMissingOnlyOfWhatTheTargetKeeps) {
  std::vector<Record> records = whole_records(10);
  records[1].embedding.reset();
  records[2].embedding.reset();
  fill(source_, "drawers", records);
  const auto choosy = interpose(*backend_, [&](std::span<const Record> batch) -> Status {
    for (const Record& record : batch) {
      if (record.id == "id1") return Error{ErrorKind::invalid_argument, "not this one"};
    }
    return ok_status();
  });
  const auto report = migrate(*backend_, *choosy, {.source = source_, .target = target_});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->collections[0].missing, 1U);
  EXPECT_THAT(report->collections[0].missing_ids, ElementsAre("id2"));
  EXPECT_EQ(report->record.refused, 1U);
  EXPECT_EQ(report->record.records, 9U);
  const auto record = read_migration_record(*backend_, target_, Access::read_only);
  ASSERT_TRUE(record.ok() && record->has_value());
  EXPECT_EQ((*record)->refused, 1U);
}

TEST_P(MigrateTest, APalaceIsNotMigratedIntoItself) {
  fill(source_, "drawers", whole_records(1));
  EXPECT_EQ(migrated({.source = source_, .target = source_, .overwrite = true}).error().kind,
            ErrorKind::invalid_argument);
  EXPECT_EQ(records_of(source_, "drawers").size(), 1U);
}

TEST_P(MigrateTest, AComparisonNamesEveryDifference) {
  fill(source_, "drawers", whole_records(5));
  fill(source_, "closets", whole_records(1));
  std::vector<Record> changed = whole_records(6);
  changed[0].document = "another text";
  changed[1].embedding = Embedding{-1, 0};
  changed[2].metadata.clear();
  changed.erase(changed.begin() + 3);
  fill(target_, "drawers", changed);
  const auto report = compare_palaces(*backend_, *backend_, {.palace = target_, .source = source_});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->records, 5U);
  EXPECT_EQ(report->equal, 1U);
  EXPECT_EQ(report->only_here, 1U);
  std::vector<std::string> found;
  for (const Difference& difference : report->shown) found.push_back(difference.id + " " + difference.what);
  EXPECT_THAT(found, ElementsAre(" the collection is not here", "id0 has another text",
                                 HasSubstr("id1 has another vector"), "id2 has other metadata", "id3 is not here"));
}

INSTANTIATE_TEST_SUITE_P(Backends, MigrateTest, testing::Values("loci", "memory"),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace loci::transfer
