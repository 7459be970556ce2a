// What a store keeps beside the content: unique keys, which fold equal drawers into one, links, counts and times.
// Backends that have no room for it skip these.
#include "tests/conformance/fixture.h"

namespace loci::conformance {
namespace {

using testing::ElementsAre;

class DetailsTest : public CollectionFixture {
 protected:
  void SetUp() override {
    CollectionFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!keeps_details()) GTEST_SKIP() << GetParam().name << " keeps no details";
  }
};

std::string hash_of(char digit) { return std::string(64, digit); }
Record keyed(std::string id, UniqueKey key, std::string document = "text") {
  Record made = record(std::move(id), std::move(document));
  made.details = RecordDetails{.key = std::move(key), .links = {}};
  return made;
}
const UniqueKey kKey{.source = "notes.md", .content_hash = hash_of('a'), .occurrence = 0};

TEST_P(DetailsTest, EqualKeysInOneBatchAreOneRecord) {
  const auto written = collection().add(std::vector{keyed("first", kKey), keyed("second", kKey), record("other")});
  ASSERT_TRUE(ok(written));
  EXPECT_EQ(*written,
            (std::vector<Written>{
                {"first", WriteState::stored}, {"first", WriteState::already_there}, {"other", WriteState::stored}}));
  EXPECT_THAT(ids_in(collection()), ElementsAre("first", "other"));
}

TEST_P(DetailsTest, EqualKeysOfTwoWritersAreOneRecord) {
  ASSERT_TRUE(ok(collection().upsert(std::vector{keyed("first", kKey, "as it was")})));
  const auto other = another_backend().collection(palace(), "drawers", {});
  ASSERT_TRUE(ok(other));
  const auto added = (*other)->add(std::vector{keyed("second", kKey, "as it is")});
  ASSERT_TRUE(ok(added));
  EXPECT_EQ(*added, (std::vector<Written>{{"first", WriteState::already_there}}));
  EXPECT_EQ(value((*other)->upsert(std::vector{keyed("third", kKey)})),
            (std::vector<Written>{{"first", WriteState::already_there}}));
  EXPECT_THAT(ids_in(collection()), ElementsAre("first"));
  EXPECT_EQ(get_one(collection(), "first").document, "as it was") << "the row stays as it is";
}

TEST_P(DetailsTest, AnUpsertOfTheSameIdAndKeyReplaces) {
  ASSERT_TRUE(ok(collection().add(std::vector{keyed("a", kKey, "old")})));
  EXPECT_EQ(value(collection().upsert(std::vector{keyed("a", kKey, "new")})),
            (std::vector<Written>{{"a", WriteState::updated}}));
  EXPECT_EQ(get_one(collection(), "a").document, "new");
}

TEST_P(DetailsTest, ARecordWhoseNewKeyIsTakenStaysAsItIs) {
  UniqueKey other_key = kKey;
  other_key.occurrence = 1;
  ASSERT_TRUE(ok(collection().add(std::vector{keyed("holder", kKey), keyed("a", other_key, "old")})));
  EXPECT_EQ(value(collection().upsert(std::vector{keyed("a", kKey, "new")})),
            (std::vector<Written>{{"holder", WriteState::already_there}}));
  EXPECT_EQ(get_one(collection(), "a").document, "old");
  EXPECT_EQ(get_one(collection(), "a", kEverything).details->key, other_key);
}

TEST_P(DetailsTest, KeysDifferBySourceTextAndOccurrence) {
  UniqueKey source = kKey;
  source.source = "other.md";
  UniqueKey text = kKey;
  text.content_hash = hash_of('b');
  UniqueKey occurrence = kKey;
  occurrence.occurrence = 1;
  ASSERT_TRUE(ok(
      collection().add(std::vector{keyed("1", kKey), keyed("2", source), keyed("3", text), keyed("4", occurrence)})));
  EXPECT_EQ(value(collection().count()), 4U);
}

TEST_P(DetailsTest, RecordsWithoutAKeyAreNeverFolded) {
  ASSERT_TRUE(ok(collection().add(std::vector{record("a", "same text"), record("b", "same text")})));
  ASSERT_TRUE(ok(collection().add(std::vector{record("c", "same text"), keyed("d", kKey, "same text")})));
  EXPECT_THAT(ids_in(collection()), ElementsAre("a", "b", "c", "d"));
}

TEST_P(DetailsTest, AKeyStaysWhenARecordIsReplacedWithoutOne) {
  ASSERT_TRUE(ok(collection().add(std::vector{keyed("a", kKey)})));
  ASSERT_TRUE(ok(collection().upsert(std::vector{record("a", "edited")})));
  ASSERT_TRUE(ok(collection().update(std::vector<RecordUpdate>{{.id = "a", .document = "edited again"}})));
  EXPECT_EQ(get_one(collection(), "a", kEverything).details->key, kKey);
  EXPECT_EQ(value(collection().upsert(std::vector{keyed("b", kKey)})),
            (std::vector<Written>{{"a", WriteState::already_there}}));
}

TEST_P(DetailsTest, AKeyIsFreeAgainWhenItsRecordTakesAnotherOrIsErased) {
  UniqueKey moved = kKey;
  moved.occurrence = 7;
  ASSERT_TRUE(ok(collection().add(std::vector{keyed("a", kKey)})));
  ASSERT_TRUE(ok(collection().upsert(std::vector{keyed("a", moved)})));
  EXPECT_EQ(value(collection().upsert(std::vector{keyed("b", kKey)})).front().state, WriteState::stored);
  ASSERT_TRUE(ok(collection().erase({.ids = {{"a"}}})));
  EXPECT_EQ(value(collection().add(std::vector{keyed("c", moved)})).front().state, WriteState::stored);
  EXPECT_THAT(ids_in(collection()), ElementsAre("b", "c"));
}

TEST_P(DetailsTest, AKeyIsUniqueWithinItsCollectionOnly) {
  const std::shared_ptr<Collection> other = make_collection(palace(), "other");
  ASSERT_TRUE(ok(collection().add(std::vector{keyed("a", kKey)})));
  EXPECT_EQ(value(other->add(std::vector{keyed("b", kKey)})), (std::vector<Written>{{"b", WriteState::stored}}));
}

TEST_P(DetailsTest, ABatchThatIsRefusedLeavesItsKeysFree) {
  ASSERT_TRUE(ok(collection().add(std::vector{record("there")})));
  EXPECT_EQ(error_kind(collection().add(std::vector{keyed("a", kKey), record("there")})), ErrorKind::already_exists);
  EXPECT_EQ(value(collection().add(std::vector{keyed("b", kKey)})).front().state, WriteState::stored);
}

TEST_P(DetailsTest, AFoldedRecordFixesNoDimension) {
  Record waits = keyed("a", kKey);
  waits.embedding.reset();
  ASSERT_TRUE(ok(collection().add(std::vector{waits})));
  Record folded = keyed("b", kKey);
  folded.embedding = Embedding{1, 2, 3};
  ASSERT_TRUE(ok(collection().upsert(std::vector{folded})));
  EXPECT_EQ(value(collection().info()).dimension, std::nullopt);
}

TEST_P(DetailsTest, MetadataOfRecordsWithOneSourceIsTheirOwn) {
  // What the drawers of a source share may be stored once; it must not show.
  std::vector<Record> drawers;
  for (std::int64_t i = 0; i < 3; ++i) {
    UniqueKey key = kKey;
    key.occurrence = i;
    Record drawer = keyed("d" + std::to_string(i), key);
    drawer.metadata = {{"wing", std::string("w")}, {"room", std::string("r")}, {"i", i}};
    drawers.push_back(drawer);
  }
  ASSERT_TRUE(ok(collection().add(drawers)));
  UniqueKey late_key = kKey;
  late_key.occurrence = 9;
  Record late = keyed("late", late_key);
  late.metadata = {{"room", std::string("other")}};
  ASSERT_TRUE(ok(collection().add(std::vector{late})));
  ASSERT_TRUE(ok(collection().update(
      std::vector<RecordUpdate>{{.id = "d1", .metadata = Metadata{{"wing", std::string("changed")}}}})));
  Record bare = record("d2", "no metadata now");
  ASSERT_TRUE(ok(collection().upsert(std::vector{bare})));
  reopen();
  EXPECT_EQ(get_one(collection(), "d0").metadata, drawers[0].metadata);
  EXPECT_EQ(get_one(collection(), "d1").metadata,
            (Metadata{{"wing", std::string("changed")}, {"room", std::string("r")}, {"i", std::int64_t{1}}}));
  EXPECT_EQ(get_one(collection(), "d2").metadata, Metadata{});
  EXPECT_EQ(get_one(collection(), "late").metadata, late.metadata);
  const auto ids_where = [&](std::string_view json) {
    return ids_of(value(collection().get({.selection = {.where = where(json)}})));
  };
  EXPECT_THAT(ids_where(R"({"wing": "w"})"), ElementsAre("d0"));
  EXPECT_THAT(ids_where(R"({"wing": {"$ne": "w"}})"), ElementsAre("d1", "d2", "late"));
  EXPECT_THAT(ids_where(R"({"room": {"$in": ["r", "other"]}})"), ElementsAre("d0", "d1", "late"));
}

TEST_P(DetailsTest, DetailsReadBackAsTheyWereGiven) {
  Record imported = record("a", "text");
  imported.details =
      RecordDetails{.key = UniqueKey{.source = "ключ 🦊", .content_hash = hash_of('0'), .occurrence = 3},
                    .links = {{.kind = "a", .target_id = "z"}, {.kind = "see", .target_id = "b"}},
                    .use_count = 5,
                    .created_at = 1'700'000'000'123,
                    .updated_at = 1'700'000'001'456};
  ASSERT_TRUE(ok(collection().add(std::vector{imported})));
  reopen();
  EXPECT_EQ(get_one(collection(), "a", kEverything).details, imported.details);
  EXPECT_EQ(get_one(collection(), "a").details, std::nullopt);
}

TEST_P(DetailsTest, TimesAreFilledInAndReadsChangeNothing) {
  ASSERT_TRUE(ok(collection().add(std::vector{record("a", "text")})));
  const Record before = get_one(collection(), "a", kEverything);
  EXPECT_GT(before.details->created_at, 1'600'000'000'000);
  EXPECT_EQ(before.details->updated_at, before.details->created_at);
  EXPECT_EQ(before.details->use_count, 0);
  EXPECT_EQ(before.details->key, std::nullopt);
  ASSERT_TRUE(ok(collection().query({.embeddings = {{1, 0}}})));
  if (has(capability::kLexicalSearch)) {
    ASSERT_TRUE(ok(collection().match({.text = "text"})));
  }
  EXPECT_EQ(get_one(collection(), "a", kEverything), before);
  ASSERT_TRUE(ok(collection().upsert(std::vector{record("a", "new text")})));
  EXPECT_EQ(get_one(collection(), "a", kEverything).details->created_at, before.details->created_at);
}

TEST_P(DetailsTest, DetailsThatAreNoneAreRefused) {
  UniqueKey short_hash = kKey;
  short_hash.content_hash = "abc";
  UniqueKey no_source = kKey;
  no_source.source = "";
  UniqueKey negative = kKey;
  negative.occurrence = -1;
  for (const UniqueKey& key : {short_hash, no_source, negative}) {
    EXPECT_EQ(error_kind(collection().add(std::vector{record("ok"), keyed("bad", key)})), ErrorKind::invalid_argument);
  }
  EXPECT_EQ(value(collection().count()), 0U);
}

INSTANTIATE_TEST_SUITE_P(Backends, DetailsTest, testing::ValuesIn(backends_under_test()), backend_name);

}  // namespace
}  // namespace loci::conformance
