// Sources: what mining stores again and again. Backends that keep none skip these, and say so when asked.
#include <memory>

#include "base/sha256.h"
#include "tests/conformance/fixture.h"

namespace loci::conformance {
namespace {

using testing::ElementsAre;

class SourceTest : public CollectionFixture {
 protected:
  void SetUp() override {
    CollectionFixture::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!info().has(capability::kSources)) GTEST_SKIP() << GetParam().name << " keeps no sources";
  }

  SourceReport replace(const SourceUpdate& update) {
    return value(collection().replace_sources(std::span(&update, 1))).front();
  }
};

// A source of these texts, one record each, with where it stands among them.
SourceUpdate source(std::string name, std::string state, const std::vector<std::string>& texts) {
  SourceUpdate update{.name = std::move(name), .state = std::move(state)};
  update.shared = {{"wing", std::string("shop")}, {"source_file", update.name}};
  update.for_new = {{"filed_at", "at " + update.state}};
  std::map<std::string, std::int64_t> occurrences;
  for (const std::string& text : texts) {
    const std::int64_t occurrence = occurrences[text]++;
    update.records.push_back({.id = "d_" + text.substr(0, 8) + std::to_string(occurrence),
                              .document = text,
                              .content_hash = to_hex(sha256(text)),
                              .occurrence = occurrence,
                              .position = {{"chunk_index", static_cast<std::int64_t>(update.records.size())}}});
  }
  return update;
}

std::vector<std::string> texts_of(const std::vector<Record>& records) {
  std::vector<std::string> texts;
  for (const Record& record : records) texts.push_back(record.document);
  return texts;
}

TEST_P(SourceTest, ANewSourceStoresItsRecordsWithWhatTheyShare) {
  EXPECT_EQ(replace(source("/a.md", "1", {"one", "two"})), (SourceReport{.stored = 2}));
  reopen();
  EXPECT_THAT(texts_of(value(collection().get({}))), ElementsAre("one", "two"));
  const Record two = get_one(collection(), "d_two0", kEverything);
  EXPECT_EQ(two.metadata, (Metadata{{"wing", std::string("shop")},
                                    {"source_file", std::string("/a.md")},
                                    {"filed_at", std::string("at 1")},
                                    {"chunk_index", std::int64_t{1}}}));
  EXPECT_EQ(two.details->key, (UniqueKey{"/a.md", to_hex(sha256("two")), 0}));
  EXPECT_EQ(two.embedding, std::nullopt) << "it waits for its vector";
  if (has(capability::kLexicalSearch)) {
    EXPECT_EQ(value(collection().match({.text = "two"})).size(), 1U);
  }
  EXPECT_EQ(value(collection().sources("")), (std::vector<SourceInfo>{{"/a.md", "1"}}));
}

TEST_P(SourceTest, TheSameStateIsNothingToDo) {
  replace(source("/a.md", "1", {"one", "two"}));
  EXPECT_EQ(replace(source("/a.md", "1", {"one", "two"})), (SourceReport{.unchanged = 2}));
  EXPECT_EQ(value(collection().count()), 2U);
}

TEST_P(SourceTest, WhatDidNotChangeKeepsItsIdAndMoves) {
  replace(source("/a.md", "1", {"one", "two", "three"}));
  SourceUpdate changed = source("/a.md", "2", {"zero", "one", "three"});
  for (SourceRecord& record : changed.records) record.id = "other_" + record.id;
  EXPECT_EQ(replace(changed), (SourceReport{.stored = 1, .moved = 1, .unchanged = 1, .removed = 1}));
  EXPECT_THAT(ids_in(collection()), ElementsAre("d_one0", "d_three0", "other_d_zero0"));
  const Record one = get_one(collection(), "d_one0");
  EXPECT_EQ(one.metadata.at("chunk_index"), MetadataValue(std::int64_t{1}));
  EXPECT_EQ(one.metadata.at("filed_at"), MetadataValue(std::string("at 1"))) << "it was filed then";
  EXPECT_EQ(get_one(collection(), "other_d_zero0").metadata.at("filed_at"), MetadataValue(std::string("at 2")));
  if (has(capability::kLexicalSearch)) {
    EXPECT_TRUE(value(collection().match({.text = "two"})).empty());
    EXPECT_EQ(value(collection().match({.text = "one"})).size(), 1U);
  }
}

TEST_P(SourceTest, AMovedRecordKeepsItsVectorLinksAndCount) {
  const SourceUpdate first = source("/a.md", "1", {"one"});
  replace(first);
  Record used = get_one(collection(), "d_one0", kEverything);
  used.embedding = Embedding{1, 0};
  used.details->use_count = 7;
  used.details->links = {{.kind = "see", .target_id = "b"}};
  ASSERT_TRUE(ok(collection().upsert(std::vector{used})));
  EXPECT_EQ(replace(source("/a.md", "2", {"zero", "one"})), (SourceReport{.stored = 1, .moved = 1}));
  const Record after = get_one(collection(), "d_one0", kEverything);
  EXPECT_EQ(after.embedding, used.embedding);
  EXPECT_EQ(after.details->use_count, 7);
  EXPECT_EQ(after.details->links, used.details->links);
}

TEST_P(SourceTest, WhatAUserChangedInARecordStays) {
  replace(source("/a.md", "1", {"one", "two"}));
  ASSERT_TRUE(ok(collection().update(
      std::vector<RecordUpdate>{{.id = "d_one0",
                                 .document = "one, corrected",
                                 .metadata = Metadata{{"wing", std::string("mine")}, {"tag", std::string("x")}}}})));
  SourceUpdate changed = source("/a.md", "2", {"zero", "one", "two"});
  changed.shared["wing"] = std::string("store");
  replace(changed);
  const Record one = get_one(collection(), "d_one0");
  EXPECT_EQ(one.document, "one, corrected");
  EXPECT_EQ(one.metadata.at("wing"), MetadataValue(std::string("mine")));
  EXPECT_EQ(one.metadata.at("tag"), MetadataValue(std::string("x")));
  EXPECT_EQ(one.metadata.at("chunk_index"), MetadataValue(std::int64_t{1}));
  EXPECT_EQ(get_one(collection(), "d_two0").metadata.at("wing"), MetadataValue(std::string("store")));
  EXPECT_EQ(value(collection().get({.selection = {.where = where(R"({"wing": "store"})")}})).size(), 2U);
  const std::vector<std::string> keys = {"wing", "room"};
  EXPECT_EQ(value(collection().count_by(keys)).size(), 2U);
}

TEST_P(SourceTest, ARecordThatLeavesItsSourceIsNotTouchedByIt) {
  replace(source("/a.md", "1", {"one", "two"}));
  const std::vector<RecordUpdate> update = {{.id = "d_one0",
                                             .document = "my own words",
                                             .metadata = Metadata{{"tag", std::string("x")}},
                                             .leaves_source = {{"source_file", "chunk_index"}}}};
  ASSERT_TRUE(ok(collection().update(update)));
  reopen();
  const Record one = get_one(collection(), "d_one0", kEverything);
  EXPECT_EQ(one.document, "my own words");
  EXPECT_EQ(one.details->key, std::nullopt);
  EXPECT_EQ(one.metadata,
            (Metadata{{"wing", std::string("shop")}, {"filed_at", std::string("at 1")}, {"tag", std::string("x")}}));
  EXPECT_EQ(replace(source("/a.md", "2", {"one", "two"})), (SourceReport{.unchanged = 1, .held_back = 1}));
  EXPECT_EQ(value(collection().erase_sources(std::vector<std::string>{"/a.md"})), 1U);
  EXPECT_THAT(ids_in(collection()), ElementsAre("d_one0"));
  ASSERT_TRUE(ok(collection().update(
      std::vector<RecordUpdate>{{.id = "d_one0", .document = "again", .leaves_source = {{"tag"}}}})));
  EXPECT_TRUE(get_one(collection(), "d_one0").metadata.contains("tag")) << "it has no source to leave";
}

TEST_P(SourceTest, WhatAUserErasedStaysAwayUntilItsTextIsGone) {
  replace(source("/a.md", "1", {"one", "two", "one"}));
  ASSERT_EQ(value(collection().erase({.ids = {{"d_one0"}}})), 1U);
  EXPECT_EQ(replace(source("/a.md", "2", {"zero", "one", "two", "one"})),
            (SourceReport{.stored = 1, .moved = 2, .held_back = 1}));
  EXPECT_EQ(replace(source("/a.md", "3", {"two"})), (SourceReport{.moved = 1, .removed = 2}));
  EXPECT_EQ(replace(source("/a.md", "4", {"one"})).stored, 1U) << "the text was gone in between";
}

TEST_P(SourceTest, WhatIsStoredByHandIsNoLongerErased) {
  replace(source("/a.md", "1", {"one"}));
  const Record one = get_one(collection(), "d_one0", kEverything);
  ASSERT_TRUE(ok(collection().erase({.ids = {{"d_one0"}}})));
  ASSERT_TRUE(ok(collection().add(std::vector{one})));
  EXPECT_EQ(replace(source("/a.md", "2", {"zero", "one"})).held_back, 0U);
  EXPECT_EQ(value(collection().count()), 2U);
}

TEST_P(SourceTest, ARenamedSourceKeepsItsRecords) {
  replace(source("/a.md", "1", {"one", "two"}));
  ASSERT_TRUE(ok(collection().erase({.ids = {{"d_two0"}}})));
  SourceUpdate renamed = source("/b.md", "1", {"one", "two", "three"});
  renamed.renamed_from = "/a.md";
  for (SourceRecord& record : renamed.records) record.id = "b" + record.id;
  EXPECT_EQ(replace(renamed), (SourceReport{.stored = 1, .moved = 1, .held_back = 1}));
  reopen();
  EXPECT_THAT(ids_in(collection()), ElementsAre("d_one0", "bd_three0"));
  const Record one = get_one(collection(), "d_one0", kEverything);
  EXPECT_EQ(one.metadata.at("source_file"), MetadataValue(std::string("/b.md")));
  EXPECT_EQ(one.details->key->source, "/b.md");
  EXPECT_EQ(value(collection().sources("")), (std::vector<SourceInfo>{{"/b.md", "1", true}}));
}

TEST_P(SourceTest, ARenameThatHappenedAlreadyOrWhoseNameIsTakenIsAnUpdate) {
  replace(source("/a.md", "1", {"one"}));
  replace(source("/b.md", "1", {"two"}));
  SourceUpdate taken = source("/b.md", "2", {"two"});
  taken.renamed_from = "/a.md";
  replace(taken);
  EXPECT_EQ(value(collection().count()), 2U);
  SourceUpdate late = source("/c.md", "1", {"three"});
  late.renamed_from = "/gone.md";
  EXPECT_EQ(replace(late).stored, 1U);
}

TEST_P(SourceTest, AnIdThatAnotherRecordHasGetsANumber) {
  ASSERT_TRUE(ok(collection().add(std::vector{record("d_one0", "not from a source")})));
  EXPECT_EQ(replace(source("/a.md", "1", {"one"})).stored, 1U);
  EXPECT_THAT(ids_in(collection()), ElementsAre("d_one0", "d_one0_2"));
}

TEST_P(SourceTest, SourcesAreListedByTheBeginningOfTheirNames) {
  for (const char* name : {"/p/b.md", "/p/a.md", "/p2/c.md", "/q/\xF0\x9F\xA6\x8A.md"})
    replace(source(name, std::string("of ") + name, {name}));
  std::vector<std::string> names;
  for (const SourceInfo& info : value(collection().sources("/p/"))) names.push_back(info.name);
  EXPECT_THAT(names, ElementsAre("/p/a.md", "/p/b.md"));
  EXPECT_EQ(value(collection().sources("")).size(), 4U);
  EXPECT_EQ(value(collection().sources("/q/\xF0\x9F\xA6")).size(), 1U);
}

TEST_P(SourceTest, AnErasedSourceIsGoneWithItsRecordsAndNewWhenItComesBackButForWhatAUserErased) {
  replace(source("/a.md", "1", {"one", "two"}));
  replace(source("/b.md", "1", {"three"}));
  ASSERT_TRUE(ok(collection().erase({.ids = {{"d_two0"}}})));
  EXPECT_EQ(value(collection().erase_sources(std::vector<std::string>{"/a.md", "/not/there.md"})), 1U);
  EXPECT_THAT(ids_in(collection()), ElementsAre("d_three0"));
  EXPECT_EQ(value(collection().sources("")), (std::vector<SourceInfo>{{"/b.md", "1"}}));
  EXPECT_EQ(replace(source("/a.md", "1", {"one", "two"})), (SourceReport{.stored = 1, .held_back = 1}));
  EXPECT_EQ(value(collection().sources("/a")), (std::vector<SourceInfo>{{"/a.md", "1", true}}));
}

TEST_P(SourceTest, ASourceMayTakeTheNameOfOneThatWasErased) {
  replace(source("/a.md", "1", {"one", "two"}));
  replace(source("/b.md", "1", {"two", "three"}));
  ASSERT_TRUE(ok(collection().erase({.ids = {{"d_one0"}}})));
  ASSERT_TRUE(ok(collection().erase_sources(std::vector<std::string>{"/a.md"})));
  SourceUpdate renamed = source("/a.md", "1", {"one", "two", "three"});
  renamed.renamed_from = "/b.md";
  EXPECT_EQ(replace(renamed), (SourceReport{.moved = 2, .held_back = 1}));
  EXPECT_EQ(value(collection().sources("")).size(), 1U);
}

TEST_P(SourceTest, WhatAUserErasedComesBackWhenAskedFor) {
  SourceUpdate update = source("/a.md", "1", {"one", "two"});
  replace(update);
  ASSERT_TRUE(ok(collection().erase({.ids = {{"d_one0"}}})));
  EXPECT_EQ(replace(update), (SourceReport{.unchanged = 2})) << "the same state is nothing to do";
  update.restores_erased = true;
  EXPECT_EQ(replace(update), (SourceReport{.stored = 1, .unchanged = 1}));
  EXPECT_FALSE(value(collection().sources("")).front().has_erased);
}

TEST_P(SourceTest, WhatIsErasedInAnotherCutIsHeldBackFromThenOn) {
  replace(source("/a.md", "1", {"one", "two"}));
  ASSERT_TRUE(ok(collection().erase({.ids = {{"d_one0"}}})));
  SourceUpdate cut = source("/a.md", "2", {"o", "ne", "two"});
  cut.records[0].is_erased = cut.records[1].is_erased = true;
  EXPECT_EQ(replace(cut), (SourceReport{.moved = 1, .held_back = 2}));
  EXPECT_EQ(replace(source("/a.md", "3", {"o", "ne", "two"})), (SourceReport{.unchanged = 1, .held_back = 2}));
}

TEST_P(SourceTest, ARefusedBatchOfSourcesStoresNothing) {
  SourceUpdate bad_hash = source("/b.md", "1", {"two"});
  bad_hash.records.front().content_hash = "abc";
  SourceUpdate twice = source("/b.md", "1", {"two", "two"});
  twice.records[1].occurrence = 0;
  SourceUpdate no_text = source("/b.md", "1", {"two"});
  no_text.records.front().document = std::string("a\0b", 3);
  const SourceUpdate no_name = source("", "1", {"two"});
  for (const SourceUpdate& bad : {bad_hash, twice, no_text, no_name, source("/a.md", "2", {})}) {
    EXPECT_EQ(error_kind(collection().replace_sources(std::vector{source("/a.md", "1", {"one"}), bad})),
              ErrorKind::invalid_argument);
  }
  EXPECT_EQ(value(collection().count()), 0U);
  EXPECT_TRUE(value(collection().sources("")).empty());
}

TEST_P(SourceTest, SourcesOfTwoCollectionsAreApart) {
  const std::shared_ptr<Collection> other = make_collection(palace(), "other");
  replace(source("/a.md", "1", {"one"}));
  EXPECT_TRUE(value(other->sources("")).empty());
  EXPECT_EQ(value(other->replace_sources(std::vector{source("/a.md", "1", {"one"})})).front().stored, 1U);
}

TEST_P(SourceTest, TwoWritersOfOneSourceLeaveTheRecordsOfOne) {
  const auto other = another_backend().collection(palace(), "drawers", {});
  ASSERT_TRUE(ok(other));
  replace(source("/a.md", "1", {"one", "two"}));
  SourceUpdate theirs = source("/a.md", "1, seen by another", {"one", "two"});
  for (SourceRecord& record : theirs.records) record.id = "theirs_" + record.id;
  EXPECT_EQ(value((*other)->replace_sources(std::vector{theirs})).front(), (SourceReport{.unchanged = 2}));
  EXPECT_THAT(ids_in(collection()), ElementsAre("d_one0", "d_two0"));
}

INSTANTIATE_TEST_SUITE_P(Backends, SourceTest, testing::ValuesIn(backends_under_test()), backend_name);

}  // namespace
}  // namespace loci::conformance
