#include "store/memtomem/memtomem_backend.h"

#include <bit>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "store/sqlite/sqlite.h"

namespace loci {
namespace {

using sqlite::Connection;
using testing::ElementsAre;

constexpr std::string_view kSchema = R"sql(
CREATE TABLE chunks(id TEXT PRIMARY KEY, content TEXT, content_hash TEXT, source_file TEXT, heading_hierarchy TEXT,
  chunk_type TEXT, start_line INTEGER, end_line INTEGER, language TEXT, tags TEXT, namespace TEXT, created_at TEXT,
  updated_at TEXT, access_count INTEGER, use_count INTEGER, last_accessed_at TEXT, overlap_before INTEGER,
  overlap_after INTEGER, importance_score REAL, valid_from_unix INTEGER, valid_to_unix INTEGER, scope TEXT,
  project_root TEXT);
CREATE TABLE chunk_relations(source_id TEXT, target_id TEXT, relation_type TEXT, created_at TEXT);
CREATE TABLE chunk_links(source_id TEXT, target_id TEXT, link_type TEXT, namespace_target TEXT, created_at TEXT);
CREATE TABLE _memtomem_meta(key TEXT PRIMARY KEY, value TEXT);
INSERT INTO _memtomem_meta VALUES ('schema_version', '7'), ('embedding_model', 'bge-small');
)sql";

// What sqlite-vec makes for vec0(embedding float[2]) with blocks of eight vectors.
constexpr std::string_view kVectorTables = R"sql(
CREATE TABLE chunks_vec_rowids(rowid INTEGER PRIMARY KEY AUTOINCREMENT, id, chunk_id INTEGER, chunk_offset INTEGER);
CREATE TABLE chunks_vec_chunks(chunk_id INTEGER PRIMARY KEY AUTOINCREMENT, size INTEGER NOT NULL, validity BLOB NOT NULL,
  rowids BLOB NOT NULL);
CREATE TABLE chunks_vec_vector_chunks00(rowid PRIMARY KEY, vectors BLOB NOT NULL);
)sql";

class MemtomemTest : public testing::Test {
 protected:
  void SetUp() override {
    connection_ = *Connection::open(file(), sqlite::OpenMode::read_write_create);
    execute(kSchema);
  }

  std::filesystem::path file() const { return folder_.path() / "memtomem.db"; }
  void execute(std::string_view sql) {
    const Status done = connection_->execute(sql);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }

  // A chunk of two lines; the rest is as memtomem has it by default.
  void add_chunk(const std::string& id, const std::string& content, int line, const std::string& rest = {}) {
    execute(
        "INSERT INTO chunks(id, content, content_hash, source_file, heading_hierarchy, chunk_type, start_line, "
        "end_line, tags, namespace, created_at, updated_at, access_count) VALUES ('" +
        id + "', '" + content + "', 'hash of " + content +
        "', '/notes/a.md', '[\"# Top\",\"## Sub\"]', 'markdown_section', " + std::to_string(line) + ", " +
        std::to_string(line + 1) + ", '[\"x\"]', 'work', '2025-01-02T03:04:05Z', '2025-01-03T00:00:00Z', 2); " + rest);
  }

  // Vectors for the rows 1, 2, …, all in one block; those whose bit is not set are left over from deleted rows.
  void add_vectors(const std::vector<Embedding>& vectors, std::uint8_t validity) {
    execute(kVectorTables);
    std::vector<std::uint8_t> block(8 * 2 * sizeof(float));
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      std::memcpy(block.data() + i * 2 * sizeof(float), vectors[i].data(), 2 * sizeof(float));
      execute("INSERT INTO chunks_vec_rowids VALUES (" + std::to_string(i + 1) + ", NULL, 1, " + std::to_string(i) +
              ")");
    }
    auto chunk = *connection_->prepare("INSERT INTO chunks_vec_chunks VALUES (1, 8, ?1, zeroblob(64))");
    ASSERT_TRUE(chunk.bind_blob(1, std::span(&validity, 1)).run().ok());
    auto insert = *connection_->prepare("INSERT INTO chunks_vec_vector_chunks00 VALUES (1, ?1)");
    ASSERT_TRUE(insert.bind_blob(1, block).run().ok());
  }

  std::vector<Record> records() {
    connection_.reset();
    const auto collection = backend_->collection(PalaceRef::at(file()), "drawers", {.access = Access::read_only});
    EXPECT_TRUE(collection.ok()) << collection.error().message;
    if (!collection.ok()) return {};
    const auto found = (*collection)->get({.include = {.embeddings = true, .details = true}});
    EXPECT_TRUE(found.ok()) << found.error().message;
    EXPECT_EQ(*(*collection)->count(), found->size());
    return *found;
  }

  TemporaryFolder folder_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Backend> backend_ = make_memtomem_backend();
};

TEST_F(MemtomemTest, AChunkComesWithAllThatIsKnownOfIt) {
  add_chunk("c1", "what was said", 7,
            "UPDATE chunks SET valid_from_unix = 100, valid_to_unix = 200, scope = 'user', importance_score = 0.5; "
            "INSERT INTO chunk_relations VALUES ('c1', 'c9', 'supports', ''); "
            "INSERT INTO chunk_links VALUES ('c1', 'c8', 'copy', 'other', '')");
  add_vectors({{0.5F, -2}}, 1);
  const std::vector<Record> found = records();
  ASSERT_EQ(found.size(), 1U);
  const Record& record = found.front();
  EXPECT_EQ(record.id, "c1");
  EXPECT_EQ(record.document, "what was said");
  EXPECT_EQ(record.embedding, (Embedding{0.5F, -2}));
  EXPECT_EQ(record.metadata, (Metadata{{"source_file", std::string("/notes/a.md")},
                                       {"namespace", std::string("work")},
                                       {"wing", std::string("work")},
                                       {"kind", std::string("markdown_section")},
                                       {"scope", std::string("user")},
                                       {"line_start", std::int64_t{7}},
                                       {"line_end", std::int64_t{8}},
                                       {"valid_from", std::int64_t{100}},
                                       {"valid_to", std::int64_t{200}},
                                       {"importance", 0.5},
                                       {"tags", std::vector<std::string>{"x"}},
                                       {"heading", std::string("# Top > ## Sub")}}));
  EXPECT_EQ(record.details->use_count, 2);
  EXPECT_EQ(record.details->created_at, 1735787045000);
  EXPECT_THAT(record.details->links, ElementsAre(Link{"copy", "c8"}, Link{"supports", "c9"}));
  EXPECT_EQ(record.details->key->source, "/notes/a.md");
}

TEST_F(MemtomemTest, RowsThatRacesDoubledAreOneRecord) {
  add_chunk("first", "same", 1);
  add_chunk("second", "same", 1, "UPDATE chunks SET tags = '[\"x\",\"y\"]' WHERE id = 'second'");
  add_chunk("later", "same", 40, "INSERT INTO chunk_links VALUES ('later', 'second', 'see', '', '')");
  add_vectors({{1, 1}, {2, 2}, {3, 3}}, 0b110);
  const std::vector<Record> found = records();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].id, "first");
  EXPECT_EQ(std::get<std::vector<std::string>>(found[0].metadata.at("tags")), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(found[0].details->use_count, 4);
  EXPECT_EQ(found[0].embedding, (Embedding{2, 2})) << "the kept one has none of its own";
  EXPECT_EQ(found[1].id, "later");
  EXPECT_THAT(found[1].details->links, ElementsAre(Link{"see", "first"}));
  EXPECT_EQ(found[0].details->key->occurrence, 0);
  EXPECT_EQ(found[1].details->key->occurrence, 1);
}

TEST_F(MemtomemTest, AVectorThatIsNotThereOrMakesNoSenseIsMissing) {
  for (int i = 1; i <= 4; ++i) add_chunk("c" + std::to_string(i), "text " + std::to_string(i), i);
  add_vectors({{1, 1}, {0, 0}, {3, 3}}, 0b011);
  execute("UPDATE chunks_vec_rowids SET chunk_offset = 1000000 WHERE rowid = 1");
  for (const Record& record : records()) EXPECT_FALSE(record.embedding) << record.id;
}

TEST_F(MemtomemTest, AnOlderFileWithoutVectorsAndLateColumnsIsRead) {
  execute(
      "DROP TABLE chunks; DROP TABLE chunk_links; DROP TABLE chunk_relations; DROP TABLE _memtomem_meta; "
      "CREATE TABLE chunks(id TEXT PRIMARY KEY, content TEXT, source_file TEXT, tags TEXT); "
      "INSERT INTO chunks VALUES ('c1', 'text', '/a.md', 'no json')");
  const std::vector<Record> found = records();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].metadata, (Metadata{{"source_file", std::string("/a.md")}}));
}

TEST_F(MemtomemTest, ReadingChangesNoByteAndWritingIsRefused) {
  add_chunk("c1", "text", 1);
  connection_.reset();
  const std::string before = *read_file(file());
  EXPECT_EQ(records().size(), 1U);
  EXPECT_EQ(*read_file(file()), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), std::filesystem::directory_iterator()),
            1);
  const PalaceRef palace = PalaceRef::at(folder_.path());
  EXPECT_TRUE(backend_->detect(folder_.path()));
  EXPECT_EQ(backend_->collection(palace, "drawers", {.if_missing = IfMissing::create}).error().kind,
            ErrorKind::unsupported);
  const auto collection = *backend_->collection(palace, "drawers", {});
  EXPECT_EQ(collection->upsert(std::vector<Record>{{.id = "x"}}).error().kind, ErrorKind::unsupported);
  EXPECT_EQ(collection->info()->metric, DistanceMetric::l2);
}

TEST_F(MemtomemTest, AnotherFileIsRefused) {
  ASSERT_TRUE(write_file_atomically(folder_.path() / "note.db", "no database at all, but long enough to be one").ok());
  EXPECT_EQ(backend_->collections(PalaceRef::at(folder_.path() / "note.db"), Access::read_only).error().kind,
            ErrorKind::corruption);
  EXPECT_EQ(backend_->collections(PalaceRef::at(folder_.path() / "gone.db"), Access::read_only).error().kind,
            ErrorKind::palace_not_found);
}

}  // namespace
}  // namespace loci
