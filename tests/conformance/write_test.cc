// C1 to C4: what is written can be read back, all of it or nothing, and bad input changes nothing.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/conformance/fixture.h"

namespace loci::conformance {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WriteTest : public CollectionFixture {
 protected:
  // All that bad input may meet: one good record. Says whether it is all there still is.
  void keep_one() { ASSERT_TRUE(ok(collection().upsert(std::vector{record("good", "text", {1, 0}, {{"k", true}})}))); }
  void expect_only_that_one() {
    EXPECT_THAT(ids_in(collection()), ElementsAre("good"));
    EXPECT_EQ(value(collection().count()), 1U);
    const Record kept = get_one(collection(), "good");
    EXPECT_EQ(kept.document, "text");
    EXPECT_EQ(kept.metadata, (Metadata{{"k", true}}));
  }
};

TEST_P(WriteTest, C1_ARecordReadsBackAsItWasWritten) {
  const Metadata metadata{{"text", std::string("ünï \" \\ \n")},
                          {"empty", std::string()},
                          {"integer", std::int64_t{-42}},
                          {"large", std::numeric_limits<std::int64_t>::max()},
                          {"small", std::numeric_limits<std::int64_t>::min()},
                          {"real", 0.1},
                          {"whole real", 3.0},
                          {"tiny", 5e-324},
                          {"yes", true},
                          {"no", false}};
  ASSERT_TRUE(ok(collection().add(std::vector{record("a", "  first line\r\nsecond\tline ", {1, 2}, metadata)})));
  for (const bool is_reopened : {false, true}) {
    if (is_reopened) reopen();
    const Record kept = get_one(collection(), "a");
    EXPECT_EQ(kept.id, "a");
    EXPECT_EQ(kept.document, "  first line\r\nsecond\tline ");
    EXPECT_EQ(kept.metadata, metadata);
  }
}

TEST_P(WriteTest, C1_ListsOfOneTypeAreKeptOrRefused) {
  const Metadata metadata{{"strings", std::vector<std::string>{"b", "a", ""}},
                          {"integers", std::vector<std::int64_t>{3, -1}},
                          {"reals", std::vector<double>{1.0, 2.5}},
                          {"booleans", std::vector<bool>{true, false, true}}};
  const auto written = collection().add(std::vector{record("a", "", {1, 0}, metadata)});
  if (!has(capability::kListMetadata)) {
    EXPECT_EQ(error_kind(written), ErrorKind::invalid_argument);
    EXPECT_THAT(ids_in(collection()), IsEmpty());
    return;
  }
  ASSERT_TRUE(ok(written));
  reopen();
  EXPECT_EQ(get_one(collection(), "a").metadata, metadata);
}

TEST_P(WriteTest, C1_ADocumentMayBeEmptyAndMetadataAbsent) {
  const Record bare = keeps_waiting_records() ? Record{.id = "bare"} : record("bare");
  ASSERT_TRUE(ok(collection().add(std::vector{bare, record("vector")})));
  reopen();
  EXPECT_EQ(get_one(collection(), "bare").document, "");
  EXPECT_EQ(get_one(collection(), "bare").metadata, Metadata{});
  EXPECT_THAT(ids_in(collection()), ElementsAre("bare", "vector"));
}

TEST_P(WriteTest, C1_TextOfEveryKindIsKeptByteForByte) {
  std::vector<Record> records;
  for (const std::string text :
       {"Zażółć gęślą jaźń", "日本語のテキスト", "مرحبا بالعالم", "🦊👩‍👩‍👧‍👦🏳️‍🌈",
        "e\u0301 is not \u00e9", "\u200b\ufeff\u2028", "' OR 1=1; --", "%_\\", "\x01\x1f\x7f", "\U0010FFFF", "$and",
        "../../etc/passwd"}) {
    records.push_back(record(text, text, {1, 0}, {{"m" + text, text}}));
  }
  records.push_back(record(std::string(1024, 'i'), std::string(1 << 20, 'd')));
  ASSERT_TRUE(ok(collection().upsert(records)));
  reopen();
  for (const Record& written : records) {
    const Record kept = get_one(collection(), written.id);
    EXPECT_EQ(kept.document, written.document);
    EXPECT_EQ(kept.metadata, written.metadata);
  }
}

TEST_P(WriteTest, C1_WhatIsNoTextOrTooLongIsRefusedAndChangesNothing) {
  keep_one();
  const std::vector<Record> refused{
      record(""),
      record(std::string(1025, 'x')),
      record(std::string(10'000, 'x')),
      record(std::string("a\0b", 3)),
      record("\xff"),
      record("\xed\xa0\x80"),
      record("a", std::string("text\0more", 9)),
      record("a", "caf\xe9"),
      record("a", std::string((std::size_t{64} << 20) + 1, 'x')),
      record("a", "", {1, 0}, {{"", true}}),
      record("a", "", {1, 0}, {{"$and", true}}),
      record("a", "", {1, 0}, {{"k", std::string("\xc3\x28")}}),
      record("a", "", {1, 0}, {{"k", std::string("\0", 1)}}),
      record("a", "", {1, 0}, {{"\xff", true}}),
      record("a", "", {1, 0}, {{"k", std::nan("")}}),
      record("a", "", {1, 0}, {{"k", std::numeric_limits<double>::infinity()}}),
      record("a", "", {1, 0}, {{"k", std::vector<std::string>{}}}),
  };
  for (const Record& bad : refused) {
    const std::vector<Record> batch{record("before"), bad, record("after")};
    EXPECT_EQ(error_kind(collection().add(batch)), ErrorKind::invalid_argument);
    EXPECT_EQ(error_kind(collection().upsert(batch)), ErrorKind::invalid_argument);
  }
  expect_only_that_one();
}

TEST_P(WriteTest, C2_AnUpdateChangesTheGivenFieldsAndReportsWhatIsMissing) {
  ASSERT_TRUE(ok(collection().add(
      std::vector{record("a", "old", {1, 0}, {{"x", std::string("1")}, {"y", 2.5}}), record("b", "other", {0, 1})})));
  const auto report = collection().update(std::vector<RecordUpdate>{
      {.id = "a", .metadata = Metadata{{"x", std::int64_t{7}}, {"z", true}}}, {.id = "gone", .document = "new"}});
  ASSERT_TRUE(ok(report));
  EXPECT_THAT(report->updated, ElementsAre("a"));
  EXPECT_THAT(report->missing, ElementsAre("gone"));
  ASSERT_TRUE(
      ok(collection().update(std::vector<RecordUpdate>{{.id = "b", .document = "new", .embedding = {{1, 1}}}})));
  reopen();
  EXPECT_THAT(ids_in(collection()), ElementsAre("a", "b")) << "nothing is created";
  EXPECT_EQ(get_one(collection(), "a").document, "old");
  EXPECT_EQ(get_one(collection(), "a").metadata, (Metadata{{"x", std::int64_t{7}}, {"y", 2.5}, {"z", true}}));
  EXPECT_EQ(get_one(collection(), "b").document, "new");
  const auto near_b = collection().query({.embeddings = {{1, 1}}, .n_results = 1});
  ASSERT_TRUE(ok(near_b));
  EXPECT_THAT(ids_of(near_b->hits[0]), ElementsAre("b"));
}

TEST_P(WriteTest, C2_AnUpdateThatChangesNothingIsRefused) {
  keep_one();
  const auto refuse = [&](std::vector<RecordUpdate> updates) {
    EXPECT_EQ(error_kind(collection().update(updates)), ErrorKind::invalid_argument);
  };
  refuse({{.id = "good", .document = "new"}, {.id = "good2"}});
  refuse({{.id = "good"}});
  refuse({{.id = "good", .document = "new"}, {.id = "good", .document = "newer"}});
  refuse({{.id = "good", .document = "\xff"}});
  refuse({{.id = "good", .document = "new", .embedding = {{0, 0}}}});
  refuse({{.id = "", .document = "new"}});
  EXPECT_EQ(
      error_kind(collection().update(std::vector<RecordUpdate>{{.id = "good", .document = "n", .embedding = {{1}}}})),
      ErrorKind::dimension_mismatch);
  expect_only_that_one();
}

TEST_P(WriteTest, C2_ANewDocumentWithoutAVectorWaitsForOne) {
  keep_one();
  ASSERT_TRUE(ok(collection().update(std::vector<RecordUpdate>{{.id = "good", .metadata = Metadata{{"n", true}}}})));
  EXPECT_EQ(value(collection().info()).pending, 0U) << "the document is the same";
  if (!keeps_waiting_records()) {
    EXPECT_EQ(error_kind(collection().update(std::vector<RecordUpdate>{{.id = "good", .document = "new"}})),
              ErrorKind::unsupported);
    EXPECT_EQ(get_one(collection(), "good").document, "text");
    return;
  }
  ASSERT_TRUE(ok(collection().update(std::vector<RecordUpdate>{{.id = "good", .document = "new"}})));
  EXPECT_EQ(value(collection().info()).pending, 1U);
  EXPECT_THAT(value(collection().query({.embeddings = {{1, 0}}})).hits[0], IsEmpty())
      << "the old vector is of the old text";
}

TEST_P(WriteTest, C2_AnUpdateThatFindsNothingFixesNoDimension) {
  ASSERT_TRUE(ok(collection().update(std::vector<RecordUpdate>{{.id = "gone", .embedding = {{1, 2, 3}}}})));
  EXPECT_EQ(value(collection().info()).dimension, std::nullopt);
  EXPECT_TRUE(ok(collection().add(std::vector{record("a", "", {1, 0})})));
}

TEST_P(WriteTest, C3_AddOfAnIdThatExistsStoresNothingOfTheBatch) {
  keep_one();
  const auto written = collection().add(std::vector{record("new"), record("good", "other"), record("newer")});
  EXPECT_EQ(error_kind(written), ErrorKind::already_exists);
  EXPECT_THAT(error_message(written), testing::HasSubstr("good"));
  expect_only_that_one();
}

TEST_P(WriteTest, C3_UpsertReplacesAndSaysSo) {
  keep_one();
  const auto written = collection().upsert(std::vector{record("new"), record("good", "other", {0, 1}, {{"n", true}})});
  ASSERT_TRUE(ok(written));
  EXPECT_EQ(*written, (std::vector<Written>{{"new", WriteState::stored}, {"good", WriteState::updated}}));
  EXPECT_EQ(get_one(collection(), "good").document, "other");
  EXPECT_EQ(get_one(collection(), "good").metadata, (Metadata{{"n", true}})) << "replaced, not merged";
  EXPECT_EQ(value(collection().count()), 2U);
}

TEST_P(WriteTest, C3_AddSaysThatEachRecordIsStored) {
  const auto written = collection().add(std::vector{record("b"), record("a")});
  ASSERT_TRUE(ok(written));
  EXPECT_EQ(*written, (std::vector<Written>{{"b", WriteState::stored}, {"a", WriteState::stored}}));
}

TEST_P(WriteTest, C3_TheSameIdTwiceInOneBatchIsRefused) {
  keep_one();
  const std::vector<Record> batch{record("a", "one"), record("b"), record("a", "two")};
  EXPECT_EQ(error_kind(collection().add(batch)), ErrorKind::invalid_argument);
  EXPECT_EQ(error_kind(collection().upsert(batch)), ErrorKind::invalid_argument);
  expect_only_that_one();
}

TEST_P(WriteTest, C4_AnEmptyBatchIsFine) {
  keep_one();
  EXPECT_THAT(value(collection().add({})), IsEmpty());
  EXPECT_THAT(value(collection().upsert({})), IsEmpty());
  EXPECT_THAT(value(collection().update({})).updated, IsEmpty());
  expect_only_that_one();
}

TEST_P(WriteTest, C4_ABatchThatIsRefusedAtItsEndLeavesNothing) {
  keep_one();
  std::vector<Record> batch;
  for (int i = 0; i < 50; ++i) batch.push_back(record("r" + std::to_string(i)));
  batch.push_back(record("good", "other"));
  EXPECT_EQ(error_kind(collection().add(batch)), ErrorKind::already_exists);
  batch.back() = record("bad", "", {1, 0, 0});
  EXPECT_EQ(error_kind(collection().upsert(batch)), ErrorKind::dimension_mismatch);
  expect_only_that_one();
  reopen();
  expect_only_that_one();
}

TEST_P(WriteTest, C4_ALargeBatchIsStoredWholeAndKept) {
  const std::size_t size = info().max_batch.value_or(10'000);
  std::vector<Record> batch;
  for (std::size_t i = 0; i < size; ++i) {
    batch.push_back(record("id" + std::to_string(i), "text " + std::to_string(i), {1, static_cast<float>(i)},
                           {{"i", static_cast<std::int64_t>(i)}}));
  }
  ASSERT_TRUE(ok(collection().add(batch)));
  EXPECT_EQ(value(collection().count()), size);
  reopen();
  EXPECT_EQ(value(collection().count()), size);
  EXPECT_EQ(get_one(collection(), "id" + std::to_string(size - 1)).document, "text " + std::to_string(size - 1));

  batch.resize(size / 2);
  batch.push_back(record("extra"));
  EXPECT_EQ(error_kind(collection().add(batch)), ErrorKind::already_exists);
  EXPECT_EQ(value(collection().count()), size);
}

TEST_P(WriteTest, C4_ABatchAboveTheLimitIsRefused) {
  if (!info().max_batch) GTEST_SKIP() << GetParam().name << " takes batches of any size";
  std::vector<Record> batch;
  for (std::size_t i = 0; i <= *info().max_batch; ++i) batch.push_back(record("id" + std::to_string(i)));
  EXPECT_EQ(error_kind(collection().upsert(batch)), ErrorKind::invalid_argument);
  EXPECT_EQ(value(collection().count()), 0U);
}

TEST_P(WriteTest, C4_WhatWasAcknowledgedIsSeenByOthersAtOnce) {
  OpenOptions options;
  const auto other = another_backend().collection(palace(), "drawers", options);
  ASSERT_TRUE(ok(other));
  keep_one();
  EXPECT_THAT(ids_in(**other), ElementsAre("good"));
  ASSERT_TRUE(ok((*other)->upsert(std::vector{record("good", "changed there")})));
  EXPECT_EQ(get_one(collection(), "good").document, "changed there");
}

INSTANTIATE_TEST_SUITE_P(Backends, WriteTest, testing::ValuesIn(backends_under_test()), backend_name);

}  // namespace
}  // namespace loci::conformance
