// A small Chroma folder made by hand, for tests: one collection "c" of two dimensions, whose tables, queue and index a
// test fills as it likes, also with what Chroma would never write.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/temporary_folder.h"
#include "store/chroma/catalog.h"
#include "store/chroma/folder_palace.h"
#include "store/chroma/queue.h"
#include "store/chroma/schema.h"
#include "store/chroma/test_folder.h"

namespace loci::chroma {

// A folder without collections, which only Chroma itself would refuse: the texts of its migrations are not there.
// Throws what is an error.
inline void make_empty_folder(const std::filesystem::path& folder) {
  const auto make = [&]() -> Status {
    std::filesystem::create_directories(folder);
    const auto connection = TRY(Connection::open(folder / kDatabaseName, sqlite::OpenMode::read_write_create));
    TRY(connection->execute("PRAGMA synchronous = OFF"));
    return create_schema(*connection, MigrationTexts());
  };
  if (const Status made = make(); !made.ok()) throw std::runtime_error(made.error().message);
}

// Throws what is an error, since nothing of it is what a test is about.
class MadeFolder {
 public:
  static constexpr HnswGeometry kGeometry = {.neighbours = 16, .dimension = 2};

  explicit MadeFolder(DistanceMetric metric = DistanceMetric::l2) {
    make_empty_folder(path());
    const std::unique_ptr<Connection> connection = open();
    const auto versions = read_versions(*connection);
    must(insert_collection(*connection, *versions, "c", metric));
    must(connection->execute("UPDATE collections SET dimension = 2"));
    const auto rows = list_collections(*connection, *versions);
    row_ = rows->at(0);
  }

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path index() const { return path() / row_.vector_segment; }
  const CollectionRow& row() const { return row_; }

  void execute(const std::string& sql) const { must(open()->execute(sql)); }
  std::string text(const std::string& sql) const { return *open()->query_text(sql); }

  // A row of the tables, last written at `seq`.
  void add_row(const std::string& id, std::int64_t seq) const {
    execute("INSERT INTO embeddings(segment_id, embedding_id, seq_id) VALUES ('" + row_.metadata_segment + "', '" + id +
            "', " + std::to_string(seq) + ")");
  }
  // The row was written again, at `seq`.
  void set_seq(const std::string& id, std::int64_t seq) const {
    execute("UPDATE embeddings SET seq_id = " + std::to_string(seq) + " WHERE embedding_id = '" + id + "'");
  }
  void queue(std::int64_t seq, QueueOperation operation, const std::string& id,
             const std::optional<Embedding>& vector = {}) const {
    const std::unique_ptr<Connection> connection = open();
    auto insert = connection->prepare(
        "INSERT INTO embeddings_queue(seq_id, operation, topic, id, vector, encoding, metadata) "
        "VALUES (?1, ?2, ?3, ?4, ?5, 'FLOAT32', '{}')");
    insert->bind(1, seq).bind(2, static_cast<std::int64_t>(operation)).bind(3, row_.topic).bind(4, id);
    if (vector) {
      insert->bind_blob(5, {reinterpret_cast<const std::uint8_t*>(vector->data()), vector->size() * sizeof(float)});
    }
    must(insert->run());
  }
  // `value` as SQL: 7, or x'0000000000000007'.
  void set_frontiers(const std::string& value) const {
    for (const std::string& segment : {row_.vector_segment, row_.metadata_segment})
      execute("INSERT OR REPLACE INTO max_seq_id(segment_id, seq_id) VALUES ('" + segment + "', " + value + ")");
  }
  // The tables, and they alone, have what the queue has up to `seq`.
  void set_frontier_of_tables(std::int64_t seq) const {
    execute("UPDATE max_seq_id SET seq_id = " + std::to_string(seq) + " WHERE segment_id = '" + row_.metadata_segment +
            "'");
  }
  // As a release before 1.0 left it: Chroma's migration of the frontiers has not run.
  void make_old() const {
    execute(
        "DELETE FROM migrations WHERE dir = 'metadb' AND version >= 5; DROP TABLE max_seq_id;"
        "CREATE TABLE max_seq_id(segment_id TEXT PRIMARY KEY, seq_id BLOB NOT NULL)");
  }

  void write(const std::filesystem::path& file, const Bytes& bytes) const {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
  }
  // A whole index, with labels from 1 on, in this folder.
  void write_index(const std::filesystem::path& folder,
                   const std::vector<std::pair<std::string, Embedding>>& vectors) const {
    Bytes slots;
    Bytes lengths;
    Bytes links;
    std::vector<std::pair<std::string, std::uint32_t>> labels;
    for (const auto& [id, vector] : vectors) {
      labels.emplace_back(id, static_cast<std::uint32_t>(labels.size() + 1));
      append_slot(slots, kGeometry, labels.size(), vector);
      append<float>(lengths, row_.space.metric == DistanceMetric::cosine ? 2.0F : 0.0F);
      append<std::uint32_t>(links, 0);
    }
    write(folder / "header.bin", made_header(kGeometry, vectors.size()));
    write(folder / "data_level0.bin", slots);
    write(folder / "length.bin", lengths);
    write(folder / "link_lists.bin", links);
    write(folder / "index_metadata.pickle", made_pickle(labels, static_cast<std::uint32_t>(labels.size())));
  }
  void write_index(const std::vector<std::pair<std::string, Embedding>>& vectors) const {
    write_index(index(), vectors);
  }

  std::shared_ptr<FolderPalace> palace(Access access = Access::read_only) const {
    return std::make_shared<FolderPalace>(path(), access, FolderOptions());
  }
  // The names below the folder, ordered.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path())) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  static void must(const Status& status) {
    if (!status.ok()) throw std::runtime_error(status.error().message);
  }
  std::unique_ptr<Connection> open() const {
    auto connection = Connection::open(path() / kDatabaseName, sqlite::OpenMode::read_write);
    if (!connection.ok()) throw std::runtime_error(connection.error().message);
    must((*connection)->execute("PRAGMA synchronous = OFF"));
    return *std::move(connection);
  }

  const TemporaryFolder folder_;
  CollectionRow row_;
};

}  // namespace loci::chroma
