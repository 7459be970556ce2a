#include "store/embedded/embedded_collection.h"

#include <cstring>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/embedded/test_palace.h"

namespace loci::embedded {
namespace {

class EmbeddedCollectionTest : public testing::Test {
 protected:
  void SetUp() override { drawers_ = palace_.drawers(); }
  Record only(const std::string& id, Include include = {.embeddings = true, .details = true}) {
    const auto records = drawers_->get({.selection = {.ids = {{id}}}, .include = include});
    EXPECT_TRUE(records.ok());
    EXPECT_EQ(records->size(), 1U);
    return records->empty() ? Record{.id = "none"} : records->front();
  }

  TestPalace palace_;
  std::shared_ptr<Collection> drawers_;
};

TEST_F(EmbeddedCollectionTest, ASecondWriterOfTheSameTextIsToldWhichIdStays) {
  ASSERT_TRUE(drawers_->upsert(batch(ingested("first", "the text", "/notes.md"))).ok());
  const auto second_process = make_embedded_backend();
  const auto same = second_process->collection(palace_.ref(), "drawers", {});
  const auto written = (*same)->upsert(batch(ingested("second", "the text", "/notes.md")));
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(*written, (std::vector<Written>{{"first", WriteState::already_there}}));
  EXPECT_EQ(*drawers_->count(), 1U);
}

TEST_F(EmbeddedCollectionTest, EqualChunksOfOneBatchBecomeOneRow) {
  const auto written =
      drawers_->add(batch(ingested("a", "the text", "/notes.md"), ingested("b", "the text", "/notes.md")));
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(*written, (std::vector<Written>{{"a", WriteState::stored}, {"a", WriteState::already_there}}));
  EXPECT_EQ(*drawers_->count(), 1U);
}

TEST_F(EmbeddedCollectionTest, EqualTextAtTwoPlacesOfOneSourceStaysTwoRecords) {
  ASSERT_TRUE(
      drawers_->add(batch(ingested("a", "the text", "/notes.md", 0), ingested("b", "the text", "/notes.md", 1))).ok());
  ASSERT_TRUE(drawers_->add(batch(ingested("c", "the text", "/other.md", 0))).ok());
  EXPECT_EQ(*drawers_->count(), 3U);
}

// Two equal sections that changed places: their lines move, their keys and ids do not.
TEST_F(EmbeddedCollectionTest, MovingEqualSectionsPastEachOtherChangesNoId) {
  std::vector<Record> sections =
      batch(ingested("a", "the text", "/notes.md", 0), ingested("b", "the text", "/notes.md", 1));
  sections[0].metadata = {{"line_start", 1}};
  sections[1].metadata = {{"line_start", 9}};
  ASSERT_TRUE(drawers_->upsert(sections).ok());
  std::swap(sections[0].metadata, sections[1].metadata);
  const auto written = drawers_->upsert(sections);
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(*written, (std::vector<Written>{{"a", WriteState::updated}, {"b", WriteState::updated}}));
  EXPECT_EQ(only("a").metadata.at("line_start"), MetadataValue(9));
}

TEST_F(EmbeddedCollectionTest, RecordsWithoutAKeyAreNeverFolded) {
  ASSERT_TRUE(drawers_->add(batch(record("a", "the text"), record("b", "the text"))).ok());
  EXPECT_EQ(*drawers_->count(), 2U);
}

TEST_F(EmbeddedCollectionTest, ProcessesThatWriteTheSameSourceMakeTheSameRows) {
  palace_.reopen();
  std::vector<pid_t> children;
  for (int process = 0; process < 6; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto backend = make_embedded_backend();
      const auto drawers = backend->collection(palace_.ref(), "drawers", {});
      if (!drawers.ok()) ::_exit(1);
      for (int chunk = 0; chunk < 40; ++chunk) {
        const std::string id = std::to_string(process) + "-" + std::to_string(chunk);
        if (!(*drawers)->upsert(batch(ingested(id, "chunk " + std::to_string(chunk), "/notes.md"))).ok()) ::_exit(2);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(*palace_.drawers()->count(), 40U);
}

TEST_F(EmbeddedCollectionTest, WhatTheDrawersOfASourceShareIsStoredOnce) {
  std::vector<Record> chunks;
  for (int i = 0; i < 10; ++i) {
    Record chunk = ingested(std::to_string(i), "chunk " + std::to_string(i), "/notes.md");
    chunk.metadata = {{"source_file", "/a/rather/long/path/to/the/notes.md"}, {"wing", "work"}, {"chunk_index", i}};
    chunks.push_back(std::move(chunk));
  }
  ASSERT_TRUE(drawers_->upsert(chunks).ok());
  EXPECT_EQ(palace_.query("SELECT count(*) FROM records WHERE json(metadata) LIKE '%rather%'"), 0);
  EXPECT_EQ(palace_.query("SELECT count(*) FROM sources WHERE json(metadata) LIKE '%rather%'"), 1);
  EXPECT_EQ(only("3").metadata, chunks[3].metadata);
  EXPECT_EQ(
      drawers_
          ->get({.selection = {.where = *parse_filter(R"({"source_file": "/a/rather/long/path/to/the/notes.md"})")}})
          ->size(),
      10U);
  EXPECT_EQ(
      drawers_->get({.selection = {.where = *parse_filter(R"({"wing": "work", "chunk_index": {"$lt": 3}})")}})->size(),
      3U);

  ASSERT_TRUE(drawers_->update(std::vector<RecordUpdate>{{.id = "3", .metadata = Metadata{{"wing", "home"}}}}).ok());
  EXPECT_EQ(only("3").metadata.at("wing"), MetadataValue("home"));
  EXPECT_EQ(only("4").metadata.at("wing"), MetadataValue("work"));
  EXPECT_EQ(drawers_->get({.selection = {.where = *parse_filter(R"({"wing": "work"})")}})->size(), 9U);
}

TEST_F(EmbeddedCollectionTest, ARecordMayWaitForItsVector) {
  ASSERT_TRUE(
      drawers_->add(batch(record("waits", "found by words"), record("has one", "also", {}, Embedding{1, 0}))).ok());
  EXPECT_EQ(drawers_->info()->pending, 1U);
  EXPECT_EQ(drawers_->match({.text = "found"})->size(), 1U);
  EXPECT_EQ(drawers_->query({.embeddings = {{1, 0}}})->hits[0].size(), 1U);

  ASSERT_TRUE(drawers_->update(std::vector<RecordUpdate>{{.id = "waits", .embedding = Embedding{0, 1}}}).ok());
  EXPECT_EQ(drawers_->info()->pending, 0U);
  EXPECT_EQ(drawers_->query({.embeddings = {{1, 0}}})->hits[0].size(), 2U);
}

TEST_F(EmbeddedCollectionTest, AChangedTextDropsTheVectorOfTheOldOne) {
  ASSERT_TRUE(drawers_->add(batch(record("a", "old words", {}, Embedding{1, 0}))).ok());
  ASSERT_TRUE(drawers_->upsert(batch(record("a", "old words", {{"k", 1}}))).ok());
  EXPECT_TRUE(only("a").embedding.has_value()) << "the same text keeps its vector";
  ASSERT_TRUE(drawers_->update(std::vector<RecordUpdate>{{.id = "a", .document = "new words"}}).ok());
  EXPECT_FALSE(only("a").embedding.has_value());
  EXPECT_EQ(drawers_->info()->pending, 1U);
  EXPECT_TRUE(drawers_->match({.text = "old"})->empty());
  EXPECT_EQ(drawers_->match({.text = "new"})->size(), 1U);
}

TEST_F(EmbeddedCollectionTest, VectorsAreKeptBitForBit) {
  const Embedding odd = {1e-45F, -0.0F, 3.4028235e38F, 0.1F};
  ASSERT_TRUE(drawers_->add(batch(record("a", "text", {}, odd))).ok());
  const Embedding back = *only("a").embedding;
  EXPECT_EQ(std::memcmp(back.data(), odd.data(), sizeof(float) * odd.size()), 0);
}

TEST_F(EmbeddedCollectionTest, WordsAreFoundWholeInPartsAndInAnyScript) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> documents = {
      {"call parse_http_header in src/net/http.cc",
       {"parse_http_header", "parseHttpHeader", "http header", "src/net/http.cc", "http.cc"}},
      {"run git push --no-verify and see error E0308 of v1.2.3", {"--no-verify", "E0308", "v1.2.3", "verify"}},
      {"Die Grüße aus dem Café", {"grusse", "CAFE", "Grüße"}},
      {"昨日東京都で会いました", {"東京", "東京都", "都"}},
      {"Вчера мы переехали на GraphQL", {"вчера", "graphql"}},
      {"write to user@example.com about std::vector and C++", {"user@example.com", "std::vector", "C++"}},
      {"they were switching databases", {"switch", "database", "switched"}},
  };
  std::vector<Record> records;
  for (std::size_t i = 0; i < documents.size(); ++i) records.push_back(record(std::to_string(i), documents[i].first));
  ASSERT_TRUE(drawers_->add(records).ok());
  for (std::size_t i = 0; i < documents.size(); ++i) {
    for (const std::string& query : documents[i].second) {
      const auto hits = drawers_->match({.text = query});
      ASSERT_TRUE(hits.ok()) << query;
      ASSERT_FALSE(hits->empty()) << query;
      EXPECT_EQ(hits->front().record.id, std::to_string(i)) << query;
    }
  }
}

TEST_F(EmbeddedCollectionTest, NothingInAQueryIsReadAsSyntax) {
  ASSERT_TRUE(drawers_->add(batch(record("a", "plain words"))).ok());
  for (const char* query : {"words\"", "\"words", "words*", "words OR", "NOT words", "words AND (", "text:words",
                            "{words}", "words^2", "NEAR(words, 2)", "-words", "words'; DROP TABLE records"}) {
    const auto hits = drawers_->match({.text = query});
    ASSERT_TRUE(hits.ok()) << query << ": " << hits.error().message;
    EXPECT_EQ(hits->size(), 1U) << query;
  }
}

TEST_F(EmbeddedCollectionTest, TheChangeFeedNamesEachRecordOnceWithItsLatestChange) {
  ASSERT_TRUE(drawers_->add(batch(record("a", "1"), record("b", "1"))).ok());
  ASSERT_TRUE(drawers_->upsert(batch(record("a", "2"))).ok());
  ASSERT_TRUE(drawers_->erase({.ids = {{"b"}}}).ok());
  ASSERT_TRUE(drawers_->add(batch(record("b", "again"))).ok());
  ASSERT_TRUE(drawers_->add(batch(record("c", "1"))).ok());
  ASSERT_TRUE(drawers_->erase({.ids = {{"c"}}}).ok());
  const auto changes = drawers_->changes_since(0, 100);
  ASSERT_TRUE(changes.ok());
  std::vector<std::string> seen;
  for (const Change& change : *changes) seen.push_back(change.id + (change.kind == ChangeKind::erased ? "-" : "+"));
  EXPECT_EQ(seen, (std::vector<std::string>{"a+", "b+", "c-"}));
  EXPECT_TRUE(drawers_->changes_since(changes->back().seq, 100)->empty());
  EXPECT_EQ(drawers_->changes_since(0, 2)->size(), 2U);
}

TEST_F(EmbeddedCollectionTest, ASearchWritesNothing) {
  ASSERT_TRUE(drawers_->add(batch(record("a", "some words", {}, Embedding{1, 0}))).ok());
  const std::int64_t version = palace_.query("PRAGMA data_version");
  const std::int64_t seq = palace_.query("SELECT value FROM palace WHERE key = 'seq'");
  ASSERT_TRUE(drawers_->match({.text = "words"}).ok());
  ASSERT_TRUE(drawers_->query({.embeddings = {{1, 0}}}).ok());
  EXPECT_EQ(palace_.query("SELECT value FROM palace WHERE key = 'seq'"), seq);
  EXPECT_EQ(palace_.query("PRAGMA data_version"), version);
  EXPECT_EQ(only("a").details->use_count, 0);
}

TEST_F(EmbeddedCollectionTest, RowNumbersAreNeverUsedTwice) {
  ASSERT_TRUE(drawers_->add(batch(record("a", "1"))).ok());
  const std::int64_t row = palace_.query("SELECT row FROM records");
  ASSERT_TRUE(drawers_->erase({.ids = {{"a"}}}).ok());
  ASSERT_TRUE(drawers_->add(batch(record("a", "1"))).ok());
  EXPECT_GT(palace_.query("SELECT row FROM records"), row);
}

TEST_F(EmbeddedCollectionTest, CountsByPlaceAgreeWithACountByScan) {
  std::vector<Record> records;
  for (int i = 0; i < 30; ++i) {
    Metadata metadata;
    if (i % 3 != 0) metadata["wing"] = "w" + std::to_string(i % 2);
    if (i % 5 != 0) metadata["room"] = "r" + std::to_string(i % 4);
    if (i % 7 == 0) metadata["room"] = 7;  // not a string, so no room
    records.push_back(record(std::to_string(i), "text", std::move(metadata)));
  }
  ASSERT_TRUE(drawers_->add(records).ok());
  const std::vector<std::string> keys = {"wing", "room"};
  const std::vector<std::string> by_scan = {"room", "wing"};
  std::size_t total = 0;
  for (const GroupCount& group : *drawers_->count_by(keys)) {
    total += group.count;
    bool found = false;
    for (const GroupCount& other : *drawers_->count_by(by_scan)) {
      found = found ||
              (other.values[0] == group.values[1] && other.values[1] == group.values[0] && other.count == group.count);
    }
    EXPECT_TRUE(found);
  }
  EXPECT_EQ(total, 30U);
}

TEST_F(EmbeddedCollectionTest, FilterOnAWingUsesTheIndexAndFindsTheSame) {
  ASSERT_TRUE(drawers_
                  ->add(std::vector{record("a", "t", {{"wing", "w"}, {"room", "r"}}), record("b", "t", {{"wing", "w"}}),
                                    record("c", "t", {{"wing", "x"}, {"room", "r"}})})
                  .ok());
  const auto ids = [&](const char* json) {
    std::string joined;
    for (const Record& found : *drawers_->get({.selection = {.where = *parse_filter(json)}})) joined += found.id;
    return joined;
  };
  EXPECT_EQ(ids(R"({"wing": "w"})"), "ab");
  EXPECT_EQ(ids(R"({"wing": "w", "room": "r"})"), "a");
  EXPECT_EQ(ids(R"({"wing": {"$in": ["w", "x"]}, "room": {"$in": ["r", "q"]}})"), "ac");
  EXPECT_EQ(ids(R"({"$or": [{"wing": "x"}, {"room": "r"}]})"), "ac");
  EXPECT_EQ(ids(R"({"wing": {"$ne": "w"}})"), "c");
}

// Bits that flipped on disk, as SQL that leaves the checksums alone.
TEST_F(EmbeddedCollectionTest, AChangedBitIsNoticedAndNeverServed) {
  Record chunk = ingested("a", "the words as they were", "/notes.md");
  chunk.metadata = {{"wing", "w"}};
  chunk.embedding = Embedding{1, 0};
  ASSERT_TRUE(drawers_->add(batch(chunk)).ok());
  const auto expect_damage = [&](const std::string& break_it, const std::string& mend_it, const Include& include) {
    palace_.execute(break_it);
    const auto damaged = drawers_->get({.include = include});
    ASSERT_FALSE(damaged.ok()) << break_it;
    EXPECT_EQ(damaged.error().kind, ErrorKind::corruption);
    EXPECT_NE(damaged.error().message.find("\"a\""), std::string::npos) << damaged.error().message;
    palace_.execute(mend_it);
    EXPECT_TRUE(drawers_->get({.include = include}).ok()) << mend_it;
  };
  expect_damage("UPDATE documents SET text = 'the words as they wore'",
                "UPDATE documents SET text = 'the words as they were'", {});
  expect_damage("UPDATE documents SET row = row + 1", "UPDATE documents SET row = row - 1", {});
  expect_damage("UPDATE vectors SET embedding = x'0000804000000000'",
                "UPDATE vectors SET embedding = x'0000803f00000000'", {.embeddings = true});
  expect_damage("UPDATE sources SET checksum = checksum + 1", "UPDATE sources SET checksum = checksum - 1", {});
  expect_damage("UPDATE records SET source = source + 1", "UPDATE records SET source = source - 1", {});
  expect_damage("UPDATE records SET metadata = jsonb('{\"x\":1}')", "UPDATE records SET metadata = jsonb('{}')", {});
  palace_.execute("UPDATE vectors SET embedding = x'0000804000000000'");
  EXPECT_EQ(drawers_->query({.embeddings = {{1, 0}}}).error().kind, ErrorKind::corruption);
}

}  // namespace
}  // namespace loci::embedded
