#include "store/chroma/schema.h"

#include <string>

#include "base/random.h"
#include "store/chroma/model_key.h"

namespace loci::chroma {
namespace {

constexpr std::string_view kTables = R"sql(
CREATE TABLE migrations(dir TEXT NOT NULL, version INTEGER NOT NULL, filename TEXT NOT NULL, sql TEXT NOT NULL,
                        hash TEXT NOT NULL, PRIMARY KEY (dir, version));
CREATE TABLE acquire_write(id INTEGER PRIMARY KEY, lock_status INTEGER NOT NULL);
CREATE TABLE tenants(id TEXT PRIMARY KEY, UNIQUE (id));
CREATE TABLE databases(id TEXT PRIMARY KEY, name TEXT NOT NULL,
                       tenant_id TEXT NOT NULL REFERENCES tenants(id) ON DELETE CASCADE, UNIQUE (tenant_id, name));
CREATE TABLE collections(id TEXT PRIMARY KEY, name TEXT NOT NULL, dimension INTEGER,
                         database_id TEXT NOT NULL REFERENCES databases(id) ON DELETE CASCADE, config_json_str TEXT,
                         UNIQUE (name, database_id));
CREATE TABLE collection_metadata(collection_id TEXT REFERENCES collections(id) ON DELETE CASCADE, key TEXT NOT NULL,
                                 str_value TEXT, int_value INTEGER, float_value REAL, bool_value INTEGER,
                                 PRIMARY KEY (collection_id, key));
CREATE TABLE segments(id TEXT PRIMARY KEY, type TEXT NOT NULL, scope TEXT NOT NULL,
                      collection TEXT REFERENCES collection(id) NOT NULL);
CREATE TABLE segment_metadata(segment_id TEXT REFERENCES segments(id) ON DELETE CASCADE, key TEXT NOT NULL,
                              str_value TEXT, int_value INTEGER, float_value REAL, bool_value INTEGER,
                              PRIMARY KEY (segment_id, key));
CREATE TABLE maintenance_log(id INT PRIMARY KEY, timestamp INT NOT NULL, operation TEXT NOT NULL);
CREATE TABLE embeddings(id INTEGER PRIMARY KEY, segment_id TEXT NOT NULL, embedding_id TEXT NOT NULL,
                        seq_id BLOB NOT NULL, created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
                        UNIQUE (segment_id, embedding_id));
CREATE TABLE embedding_metadata(id INTEGER REFERENCES embeddings(id), key TEXT NOT NULL, string_value TEXT,
                                int_value INTEGER, float_value REAL, bool_value INTEGER, PRIMARY KEY (id, key));
CREATE INDEX embedding_metadata_int_value ON embedding_metadata(key, int_value) WHERE int_value IS NOT NULL;
CREATE INDEX embedding_metadata_float_value ON embedding_metadata(key, float_value) WHERE float_value IS NOT NULL;
CREATE INDEX embedding_metadata_string_value ON embedding_metadata(key, string_value) WHERE string_value IS NOT NULL;
CREATE TABLE max_seq_id(segment_id TEXT PRIMARY KEY, seq_id INTEGER);
CREATE VIRTUAL TABLE embedding_fulltext_search USING fts5(string_value, tokenize='trigram');
CREATE TABLE embeddings_queue(seq_id INTEGER PRIMARY KEY, created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
                              operation INTEGER NOT NULL, topic TEXT NOT NULL, id TEXT NOT NULL, vector BLOB,
                              encoding TEXT, metadata TEXT);
CREATE TABLE embeddings_queue_config(id INTEGER PRIMARY KEY, config_json_str TEXT);
INSERT INTO tenants(id) VALUES ('default_tenant');
INSERT INTO databases(id, name, tenant_id)
VALUES ('00000000-0000-0000-0000-000000000000', 'default_database', 'default_tenant');
INSERT INTO embeddings_queue_config(config_json_str)
VALUES ('{"automatically_purge":true,"_type":"EmbeddingsQueueConfigurationInternal"}');
)sql";

// Version 4: random, but for the bits that say so.
std::string random_uuid() {
  std::string hex = random_hex(16);
  hex[12] = '4';
  hex[16] = "89ab"[static_cast<unsigned char>(hex[16]) % 4];
  std::string uuid;
  for (std::size_t i = 0; i < hex.size(); ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) uuid += '-';
    uuid += hex[i];
  }
  return uuid;
}

}  // namespace

Status create_schema(Connection& connection, const MigrationTexts& texts) {
  TRY(connection.execute(kTables));
  Statement insert = TRY(connection.prepare("INSERT INTO migrations VALUES (?1, ?2, ?3, ?4, ?5)"));
  for (std::size_t i = 0; i < kMigrations.size(); ++i) {
    const Migration& migration = kMigrations[i];
    insert.bind(1, migration.kind).bind(2, std::int64_t{migration.version}).bind(3, migration.file);
    TRY(insert.bind(4, texts[i]).bind(5, migration.hash).run());
  }
  return {};
}

Status insert_collection(Connection& connection, const SchemaVersions& versions, std::string_view name,
                         DistanceMetric metric) {
  if (versions.system < 9) {
    return Error{ErrorKind::unsupported,
                 "this Chroma folder is of a release before 0.5.6; open it once with a newer Chroma, or migrate it"};
  }
  const std::string id = random_uuid();
  const std::string configuration = configuration_for(metric);
  Statement collection = TRY(
      connection.prepare("INSERT INTO collections(id, name, database_id, config_json_str) VALUES (?1, ?2, ?3, ?4)"));
  TRY(collection.bind(1, id).bind(2, name).bind(3, kDefaultDatabase).bind(4, configuration).run());
  for (const auto& [type, scope] : {std::pair("urn:chroma:segment/vector/hnsw-local-persisted", "VECTOR"),
                                    std::pair("urn:chroma:segment/metadata/sqlite", "METADATA")}) {
    const std::string segment = random_uuid();
    Statement insert =
        TRY(connection.prepare("INSERT INTO segments(id, type, scope, collection) VALUES (?1, ?2, ?3, ?4)"));
    TRY(insert.bind(1, segment).bind(2, type).bind(3, scope).bind(4, id).run());
  }
  return {};
}

Status remove_collection(Connection& connection, const SchemaVersions& versions, const CollectionRow& collection) {
  std::vector<std::string_view> of_records = {
      "DELETE FROM embedding_metadata WHERE id IN (SELECT id FROM embeddings WHERE segment_id = ?1)"};
  if (versions.has_lists())
    of_records.push_back(
        "DELETE FROM embedding_metadata_array WHERE id IN (SELECT id FROM embeddings WHERE segment_id = ?1)");
  if (versions.metadata >= 3)
    of_records.push_back(
        "DELETE FROM embedding_fulltext_search WHERE rowid IN (SELECT id FROM embeddings WHERE segment_id = ?1)");
  of_records.push_back("DELETE FROM embeddings WHERE segment_id = ?1");
  for (const std::string_view sql : of_records) {
    Statement remove = TRY(connection.prepare(sql));
    TRY(remove.bind(1, collection.metadata_segment).run());
  }
  for (const std::string_view segment : {collection.vector_segment, collection.metadata_segment}) {
    for (const std::string_view sql :
         {"DELETE FROM max_seq_id WHERE segment_id = ?1", "DELETE FROM segment_metadata WHERE segment_id = ?1",
          "DELETE FROM segments WHERE id = ?1"}) {
      Statement remove = TRY(connection.prepare(sql));
      TRY(remove.bind(1, segment).run());
    }
  }
  Statement queue = TRY(connection.prepare("DELETE FROM embeddings_queue WHERE topic = ?1"));
  TRY(queue.bind(1, collection.topic).run());
  for (const std::string_view sql :
       {"DELETE FROM collection_metadata WHERE collection_id = ?1", "DELETE FROM collections WHERE id = ?1"}) {
    Statement remove = TRY(connection.prepare(sql));
    TRY(remove.bind(1, collection.id).run());
  }
  return {};
}

Status set_dimension(Connection& connection, const CollectionRow& collection, std::size_t dimension) {
  Statement update = TRY(connection.prepare("UPDATE collections SET dimension = ?2 WHERE id = ?1"));
  return update.bind(1, collection.id).bind(2, static_cast<std::int64_t>(dimension)).run();
}

Status set_model(Connection& connection, const CollectionRow& collection, std::string_view model) {
  Statement insert = TRY(connection.prepare(
      "INSERT OR REPLACE INTO collection_metadata(collection_id, key, str_value) VALUES (?1, ?2, ?3)"));
  TRY(insert.bind(1, collection.id).bind(2, kModelKey).bind(3, model).run());
  if (collection.model.empty() || collection.model == model) return {};
  return insert.bind(1, collection.id).bind(2, "loci:model_before").bind(3, collection.model).run();
}

}  // namespace loci::chroma
