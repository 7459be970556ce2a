// Folders that lie: whatever is in their files, reading gives an answer or an error, soon, and takes no memory by a
// number that nobody checked.
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/process_memory.h"
#include "base/sanitizers.h"
#include "base/temporary_folder.h"
#include "store/chroma/catalog.h"
#include "store/chroma/folder_backend.h"
#include "store/chroma/folder_repair.h"
#include "store/chroma/made_folder.h"
#include "store/chroma/test_folder.h"

namespace loci::chroma_tests {
namespace {

using chroma::Bytes;
using chroma::HnswGeometry;

constexpr HnswGeometry kGeometry{.neighbours = 16, .dimension = 4};
constexpr std::size_t kMostMemory = std::size_t{64} << 20;

void write(const std::filesystem::path& file, const Bytes& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// A folder with a collection of two records, whose index has one of them.
class HostileFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    chroma::make_empty_folder(palace());
    {
      const auto backend = make_chroma_folder_backend();
      const auto made = backend->collection(PalaceRef::at(palace()), "c",
                                            {.if_missing = IfMissing::create, .metric = DistanceMetric::l2});
      ASSERT_TRUE(made.ok()) << made.error().message;
      const std::vector<Record> records{{.id = "a", .document = "x", .embedding = Embedding{1, 2, 3, 4}},
                                        {.id = "b", .document = "y", .embedding = Embedding{5, 6, 7, 8}}};
      ASSERT_TRUE((*made)->add(records).ok());
    }
    const auto database = open();
    segment_ = *database->query_text("SELECT id FROM segments WHERE scope = 'VECTOR'");
    std::filesystem::create_directory(index());
    write(index() / "header.bin", chroma::made_header(kGeometry, 1));
    Bytes slots;
    chroma::append_slot(slots, kGeometry, 1, {1, 2, 3, 4});
    write(index() / "data_level0.bin", slots);
    write(index() / "length.bin", Bytes(4));
    write(index() / "link_lists.bin", Bytes(4));
    write(index() / "index_metadata.pickle", chroma::made_pickle({{"a", 1}}, 1));
  }
  std::filesystem::path palace() const { return folder_.path() / "palace"; }
  std::filesystem::path index() const { return palace() / segment_; }
  std::unique_ptr<chroma::Connection> open() const {
    return *chroma::Connection::open(palace() / "chroma.sqlite3", sqlite::OpenMode::read_write);
  }

  // Everything that can be asked. An error is an answer; memory by an unchecked number, a crash or an endless loop are
  // not.
  void ask() {
    const std::size_t before = private_memory_bytes().value_or(0);
    const auto backend = make_chroma_folder_backend({.copies = chroma::Copies::used});
    static_cast<void>(backend->collections(PalaceRef::at(palace()), Access::read_only));
    const auto opened = backend->collection(PalaceRef::at(palace()), "c", {.access = Access::read_only});
    if (opened.ok()) {
      const auto records = (*opened)->get({.include = {.embeddings = true}});
      EXPECT_TRUE(!records.ok() || records->size() <= 3);
      static_cast<void>((*opened)->query({.embeddings = {Embedding{1, 2, 3, 4}}}));
      static_cast<void>((*opened)->info());
    }
    static_cast<void>(chroma::repair_folder(palace(), folder_.path() / "repaired"));
    if (!kHasSanitizedMemory) {
      EXPECT_LT(private_memory_bytes().value_or(0), before + kMostMemory);
    }
  }

 private:
  const TemporaryFolder folder_;
  std::string segment_;
};

TEST_F(HostileFolderTest, AHonestOneGivesBothRecords) {
  const auto backend = make_chroma_folder_backend();
  const auto opened = backend->collection(PalaceRef::at(palace()), "c", {.access = Access::read_only});
  ASSERT_TRUE(opened.ok());
  const auto records = (*opened)->get({.include = {.embeddings = true}});
  ASSERT_TRUE(records.ok());
  ASSERT_EQ(records->size(), 2U);
  EXPECT_EQ((*records)[0].embedding, (Embedding{1, 2, 3, 4}));
  EXPECT_EQ((*records)[1].embedding, (Embedding{5, 6, 7, 8}));
}

TEST_F(HostileFolderTest, FilesOfTerabytesThatAreHoles) {
  for (const char* name : {"data_level0.bin", "length.bin", "link_lists.bin", "header.bin", "index_metadata.pickle"}) {
    // Not every file system takes the largest.
    const auto grow = [&](off_t size) { return ::truncate((index() / name).c_str(), size) == 0; };
    ASSERT_TRUE(grow(off_t{1} << 43) || grow(off_t{1} << 40));
    ask();
  }
}

TEST_F(HostileFolderTest, CountsThatLie) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  write(index() / "header.bin", chroma::made_header(kGeometry, most));
  write(index() / "index_metadata.pickle",
        chroma::made_pickle({{"a", 1}, {"b", std::numeric_limits<std::int32_t>::max()}}, 0x7fffffff));
  ask();
  for (const std::size_t offset : {12U, 20U, 28U, 36U, 44U, 60U, 68U, 76U}) {
    Bytes header = chroma::made_header(kGeometry, 1);
    std::memset(header.data() + offset, 0xff, 8);
    write(index() / "header.bin", header);
    ask();
  }
  for (const char* sql : {"UPDATE collections SET dimension = 9223372036854775807",
                          "UPDATE collections SET dimension = -1", "UPDATE collections SET dimension = 1000000"}) {
    ASSERT_TRUE(open()->execute(sql).ok());
    ask();
  }
}

TEST_F(HostileFolderTest, PicklesWithForeignInstructionsAndLengthsThatLie) {
  const Bytes forged[] = {
      {'c', 'o', 's', '\n', 's', 'y', 's', 't', 'e', 'm', '\n', '(', 'S', '\'', 'x', '\'', '\n', 't', 'R', '.'},
      {0x80, 5, 0x8d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},  // a text of 2^63 bytes
      {0x80, 3, '}', 'r', 0xff, 0xff, 0xff, 0xff, 'j', 0xff, 0xff, 0xff, 0xff, 's', 'u', 'b', '.'},
      Bytes(1 << 20, '('),   // a million open lists
      Bytes(1 << 20, '}'),   // and maps
      Bytes(1 << 20, 0x94),  // remembering nothing
  };
  for (const Bytes& bytes : forged) {
    write(index() / "index_metadata.pickle", bytes);
    ask();
  }
}

TEST_F(HostileFolderTest, FoldersAndLinksInTheirPlace) {
  for (const char* name : {"data_level0.bin", "header.bin", "index_metadata.pickle"}) {
    std::filesystem::remove_all(index() / name);
    std::filesystem::create_directory(index() / name);
    ask();
    std::filesystem::remove_all(index() / name);
    std::filesystem::create_symlink(name, index() / name);  // to itself
    ask();
  }
  std::filesystem::create_directory_symlink(palace(), palace() / "again");
  ask();
}

TEST_F(HostileFolderTest, ADatabaseOfAnotherProgram) {
  ASSERT_TRUE(open()->execute("DROP TABLE migrations; CREATE TABLE migrations(x)").ok());
  ask();
  std::filesystem::remove(palace() / "chroma.sqlite3");
  ASSERT_TRUE((*chroma::Connection::open(palace() / "chroma.sqlite3", sqlite::OpenMode::read_write_create))
                  ->execute("CREATE TABLE bookmarks(url TEXT)")
                  .ok());
  const auto backend = make_chroma_folder_backend();
  const auto collections = backend->collections(PalaceRef::at(palace()), Access::read_only);
  ASSERT_FALSE(collections.ok());
  EXPECT_EQ(collections.error().kind, ErrorKind::corruption);
}

TEST_F(HostileFolderTest, ATableThatIsAViewWithoutEnd) {
  ASSERT_TRUE(open()
                  ->execute("ALTER TABLE embeddings RENAME TO hidden; CREATE VIEW embeddings AS WITH RECURSIVE n(i) AS "
                            "(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, '' AS segment_id, 'x' || i AS "
                            "embedding_id, i AS seq_id, 0 AS created_at FROM n")
                  .ok());
  const auto backend = make_chroma_folder_backend();
  const auto collections = backend->collections(PalaceRef::at(palace()), Access::read_only);
  ASSERT_FALSE(collections.ok());
  EXPECT_EQ(collections.error().kind, ErrorKind::corruption);
}

TEST_F(HostileFolderTest, RowsThatNoChromaWrites) {
  const char* const forged[] = {
      "UPDATE embeddings SET seq_id = x'ff'",
      "UPDATE embeddings SET seq_id = 'text'",
      "UPDATE embeddings SET embedding_id = CAST(x'ff00fe' AS TEXT) WHERE id = 1",
      "UPDATE embedding_metadata SET string_value = CAST(x'c3' AS TEXT)",
      "UPDATE embeddings_queue SET vector = x'0000c07f0000c07f0000c07f0000c07f'",  // not a number, four times
      "UPDATE embeddings_queue SET operation = 77",
      "UPDATE embeddings_queue SET operation = 'add', metadata = '{\"a\": [[[[', vector = x'00'",
      "INSERT OR REPLACE INTO max_seq_id SELECT id, 9223372036854775807 FROM segments",
      "INSERT OR REPLACE INTO max_seq_id SELECT id, x'1111353032363037' FROM segments",
      "INSERT OR REPLACE INTO max_seq_id SELECT id, -1 FROM segments",
      "UPDATE segments SET id = '../../../../etc' WHERE scope = 'VECTOR'",
      "UPDATE collections SET config_json_str = replace(hex(zeroblob(50000)), '0', '[')",
      "DELETE FROM segments",
  };
  for (const char* sql : forged) {
    ASSERT_TRUE(open()->execute(sql).ok()) << sql;
    ask();
  }
}

}  // namespace
}  // namespace loci::chroma_tests
