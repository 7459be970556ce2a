#include "store/chroma/queue_refill.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "store/chroma/folder_backend.h"
#include "store/chroma/made_folder.h"

namespace loci::chroma {
namespace {

// A palace of two collections with three records each, whose last one has no vector.
class QueueRefillTest : public testing::Test {
 protected:
  void SetUp() override {
    make_empty_folder(folder_.path());
    const auto backend = make_chroma_folder_backend();
    for (const char* name : {"one", "two"}) {
      const auto made = backend->collection(PalaceRef::at(folder_.path()), name,
                                            {.if_missing = IfMissing::create, .metric = DistanceMetric::l2});
      ASSERT_TRUE(made.ok()) << made.error().message;
      ASSERT_TRUE((*made)
                      ->add(std::vector<Record>{{.id = "a", .embedding = Embedding{1, 2}},
                                                {.id = "b", .embedding = Embedding{3, 4}},
                                                {.id = "c", .document = "text"}})
                      .ok());
    }
    auto opened = Connection::open(folder_.path() / kDatabaseName, sqlite::OpenMode::read_write);
    ASSERT_TRUE(opened.ok());
    connection_ = *std::move(opened);
  }
  void refill() {
    const auto versions = read_versions(*connection_);
    const auto collections = list_collections(*connection_, *versions);
    const Status status =
        refill_queue(*connection_, *versions, *collections,
                     [&](const CollectionRow& row) -> Result<std::shared_ptr<const Recovered>> {
                       return std::make_shared<const Recovered>(TRY(recover(*connection_, folder_.path(), row)));
                     });
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
  std::int64_t number(const std::string& sql) { return connection_->query_integer(sql).value(); }
  std::map<std::string, Embedding> vectors(std::string_view name) {
    const auto row = load_collection(*connection_, *read_versions(*connection_), name);
    const auto recovered = recover(*connection_, folder_.path(), *row);
    std::map<std::string, Embedding> found;
    for (const RecoveredRecord& record : recovered->records) {
      if (const auto vector = vector_at(*connection_, *recovered, record.place); vector.ok() && *vector)
        found.emplace(record.id, **vector);
    }
    return found;
  }

  const std::map<std::string, Embedding> expected_{{"a", {1, 2}}, {"b", {3, 4}}};
  const TemporaryFolder folder_;
  std::unique_ptr<Connection> connection_;
};

TEST_F(QueueRefillTest, EachRecordHasARowAtItsOwnNumberAndTheFrontierIsTaken) {
  refill();
  EXPECT_EQ(vectors("one"), expected_);
  EXPECT_EQ(vectors("two"), expected_);
  EXPECT_EQ(number("SELECT count(*) FROM embeddings_queue WHERE operation = 2 AND encoding = 'FLOAT32'"), 4);
  EXPECT_EQ(number("SELECT count(*) FROM embeddings_queue q JOIN embeddings e ON e.seq_id = q.seq_id AND "
                   "e.embedding_id = q.id"),
            4);
  // The last record of each has no vector, and its number is the frontier.
  EXPECT_EQ(number("SELECT count(*) FROM embeddings_queue q JOIN max_seq_id m ON m.seq_id = q.seq_id"), 2);
  EXPECT_EQ(number("SELECT count(*) FROM max_seq_id m JOIN segments s ON s.id = m.segment_id WHERE s.scope = 'VECTOR'"),
            0);
}

TEST_F(QueueRefillTest, NumbersThatWereGivenTwiceAreGivenAnew) {
  // As where a queue was emptied and began anew: only the indexes have the vectors.
  const MadeFolder maker;
  std::vector<std::filesystem::path> indexes;
  for (const char* name : {"one", "two"}) {
    const auto row = load_collection(*connection_, *read_versions(*connection_), name);
    indexes.push_back(folder_.path() / row->vector_segment);
    maker.write_index(indexes.back(), {{"a", {1, 2}}, {"b", {3, 4}}});
  }
  ASSERT_TRUE(connection_
                  ->execute("DELETE FROM embeddings_queue; UPDATE embeddings SET seq_id = 1; "
                            "INSERT OR REPLACE INTO max_seq_id(segment_id, seq_id) SELECT id, 1 FROM segments")
                  .ok());
  refill();
  for (const std::filesystem::path& index : indexes) std::filesystem::remove_all(index);
  EXPECT_EQ(vectors("one"), expected_);
  EXPECT_EQ(vectors("two"), expected_);
  EXPECT_EQ(number("SELECT count(DISTINCT seq_id) FROM embeddings_queue WHERE operation = 2"), 4);
  EXPECT_EQ(number("SELECT count(*) FROM embeddings_queue WHERE seq_id > (SELECT max(seq_id) FROM max_seq_id)"), 0)
      << "a row above the frontier of the tables would be applied to them";
}

TEST_F(QueueRefillTest, APoisonedFrontierIsMadeWhole) {
  ASSERT_TRUE(connection_->execute("UPDATE max_seq_id SET seq_id = 1229822654365970487").ok());
  refill();
  EXPECT_EQ(vectors("one"), expected_);
  EXPECT_LT(number("SELECT max(seq_id) FROM max_seq_id"), 1'000'000'000);
}

}  // namespace
}  // namespace loci::chroma
