// No rows of a queue make its readers crash: vectors, metadata, numbers, the tables that follow from them, the recovery
// of vectors, and the refill of the queue, after which the same vectors must come out again.
//
// The bytes are rows, one after the other: operation, length of the id, id, length of the vector, vector, length of the
// metadata, metadata; each length is a byte.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/chroma/json_text.h"
#include "store/chroma/metadata_tables.h"
#include "store/chroma/queue.h"
#include "store/chroma/queue_refill.h"
#include "store/chroma/recovery.h"
#include "store/chroma/schema.h"
#include "store/chroma/seq_id.h"

namespace loci::chroma {
namespace {

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool is_empty() const { return bytes_.empty(); }
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }
  std::span<const std::uint8_t> piece() {
    const std::size_t wanted = byte();
    const std::size_t size = std::min(wanted, bytes_.size());
    const auto piece = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return piece;
  }
  std::string_view text() {
    const auto bytes = piece();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

// A database with one collection, made once.
Result<std::unique_ptr<Connection>> make_database() {
  std::unique_ptr<Connection> connection = TRY(Connection::open(":memory:", sqlite::OpenMode::read_write_create));
  TRY(create_schema(*connection, MigrationTexts()));
  TRY(insert_collection(*connection, TRY(read_versions(*connection)), "c", DistanceMetric::l2));
  return connection;
}

Status read_pieces(std::span<const std::uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  static_cast<void>(decode_queue_vector(bytes, {}));
  if (const auto seq = decode_seq_id(bytes)) static_cast<void>(unpoisoned(*seq));
  if (const auto changes = parse_metadata_changes(text)) static_cast<void>(to_json(*changes));
  static_cast<void>(resolve_space({.schema = std::string(text), .configuration = std::string(text)}));
  return {};
}

Status fill_queue(Connection& connection, const CollectionRow& collection, Input input) {
  Statement insert =
      TRY(connection.prepare("INSERT INTO embeddings_queue(operation, topic, id, vector, encoding, metadata) "
                             "VALUES (?1, ?2, ?3, ?4, 'FLOAT32', ?5)"));
  while (!input.is_empty()) {
    insert.bind(1, static_cast<std::int64_t>(static_cast<std::int8_t>(input.byte()))).bind(2, collection.topic);
    insert.bind(3, input.text());
    if (const auto vector = input.piece(); vector.empty()) {
      insert.bind_null(4);
    } else {
      insert.bind_blob(4, vector);
    }
    const std::string_view metadata = input.text();
    TRY(insert.bind(5, metadata).run());
  }
  return {};
}

Result<std::map<std::string, Embedding>> vectors_of(Connection& connection, const CollectionRow& collection) {
  const Recovered recovered = TRY(recover(connection, "/nowhere", collection));
  std::map<std::string, Embedding> vectors;
  for (const RecoveredRecord& record : recovered.records) {
    if (std::optional<Embedding> vector = TRY(vector_at(connection, recovered, record.place)))
      vectors.emplace(record.id, *std::move(vector));
  }
  return vectors;
}

Status run(Connection& connection, std::span<const std::uint8_t> bytes) {
  TRY(read_pieces(bytes));
  const sqlite::Transaction undone = TRY(sqlite::Transaction::begin(connection, sqlite::Transaction::Kind::write));
  const SchemaVersions versions = TRY(read_versions(connection));
  TRY(fill_queue(connection, TRY(load_collection(connection, versions, "c")), Input(bytes)));
  TRY(catch_up_metadata_tables(connection, versions));
  const std::vector<CollectionRow> collections = TRY(list_collections(connection, versions));
  const auto before = TRY(vectors_of(connection, collections.front()));
  TRY(refill_queue(connection, versions, collections,
                   [&](const CollectionRow& row) -> Result<std::shared_ptr<const Recovered>> {
                     return std::make_shared<const Recovered>(TRY(recover(connection, "/nowhere", row)));
                   }));
  const auto after = TRY(vectors_of(connection, TRY(load_collection(connection, versions, "c"))));
  if (before != after) std::abort();
  return {};
}

}  // namespace
}  // namespace loci::chroma

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kDatabase = loci::chroma::make_database();
  if (!kDatabase.ok()) std::abort();
  static_cast<void>(loci::chroma::run(**kDatabase, std::span(data, size)));
  return 0;
}
