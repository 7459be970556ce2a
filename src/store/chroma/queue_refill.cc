#include "store/chroma/queue_refill.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "store/chroma/queue.h"
#include "store/chroma/schema.h"
#include "store/chroma/seq_id.h"

namespace loci::chroma {
namespace {

// Deleting what is not there does nothing but take its number.
constexpr std::string_view kNobody = "loci:nobody";

bool is_plausible(std::int64_t seq) { return seq > 0 && seq < kLargestSeqId; }

// The new rows wait in a table of their own: the old ones are read until the last record is done.
class Refill {
 public:
  Refill(Connection& connection, const SchemaVersions& versions) : connection_(connection), versions_(versions) {}

  Status begin(const std::vector<CollectionRow>& collections);
  Status add(const CollectionRow& collection, const Recovered& recovered);
  Status finish();

 private:
  // False: the number is taken.
  Result<bool> insert(std::int64_t seq, QueueOperation operation, const CollectionRow& collection, std::string_view id,
                      const Embedding* vector);
  Status set_last_write(const RecoveredRecord& record, std::int64_t seq);

  Connection& connection_;
  const SchemaVersions versions_;
  std::int64_t last_ = 0;  // no number above is in use
};

Status Refill::begin(const std::vector<CollectionRow>& collections) {
  TRY(connection_.execute(
      "CREATE TABLE loci_refill(seq_id INTEGER PRIMARY KEY, operation INTEGER, topic TEXT, id TEXT, "
      "vector BLOB)"));
  if (const std::int64_t last = TRY(last_queue_seq(connection_)); is_plausible(last)) last_ = last;
  for (const CollectionRow& collection : collections) {
    for (const std::optional<Frontier>& frontier : {collection.vector_frontier, collection.metadata_frontier}) {
      if (frontier && is_plausible(frontier->seq)) last_ = std::max(last_, frontier->seq);
    }
  }
  Statement rows = TRY(connection_.prepare("SELECT seq_id FROM embeddings"));
  while (TRY(rows.step())) {
    if (const auto seq = seq_id_at(rows, 0); seq && is_plausible(*seq)) last_ = std::max(last_, *seq);
  }
  return {};
}

Status Refill::add(const CollectionRow& collection, const Recovered& recovered) {
  std::int64_t frontier = 0;
  if (collection.metadata_frontier && is_plausible(collection.metadata_frontier->seq))
    frontier = collection.metadata_frontier->seq;
  for (const RecoveredRecord& record : recovered.records) {
    if (is_plausible(record.seq)) frontier = std::max(frontier, record.seq);
  }
  // Numbers that a queue gave twice, after it was emptied, cannot be used twice.
  std::vector<const RecoveredRecord*> crowded;
  const auto insert_record = [&](const RecoveredRecord& record, std::int64_t seq) -> Result<bool> {
    const std::optional<Embedding> vector = TRY(vector_at(connection_, recovered, record.place));
    if (!vector) return true;
    return insert(seq, QueueOperation::upsert, collection, record.id, &*vector);
  };
  for (const RecoveredRecord& record : recovered.records) {
    if (record.place.kind == VectorPlace::Kind::nowhere) continue;
    const bool is_in = is_plausible(record.seq) && TRY(insert_record(record, record.seq));
    if (!is_in) crowded.push_back(&record);
  }
  for (const RecoveredRecord* record : crowded) {
    frontier = ++last_;
    if (TRY(insert_record(*record, frontier))) TRY(set_last_write(*record, frontier));
  }
  if (frontier == 0) return {};
  TRY(insert(frontier, QueueOperation::erase, collection, kNobody, nullptr));
  if (!collection.metadata_segment.empty())
    TRY(set_frontier(connection_, versions_, collection.metadata_segment, frontier));
  Statement forget = TRY(connection_.prepare("DELETE FROM max_seq_id WHERE segment_id = ?1"));
  TRY(forget.bind(1, collection.vector_segment).run());
  if (collection.dimension != recovered.dimension && recovered.dimension && recovered.vectors > 0)
    TRY(set_dimension(connection_, collection, *recovered.dimension));
  return {};
}

Result<bool> Refill::insert(std::int64_t seq, QueueOperation operation, const CollectionRow& collection,
                            std::string_view id, const Embedding* vector) {
  Statement statement = TRY(connection_.prepare("INSERT OR IGNORE INTO loci_refill VALUES (?1, ?2, ?3, ?4, ?5)"));
  statement.bind(1, seq).bind(2, static_cast<std::int64_t>(operation)).bind(3, collection.topic).bind(4, id);
  if (vector != nullptr) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(vector->data());
    statement.bind_blob(5, {bytes, vector->size() * sizeof(float)});
  } else {
    statement.bind_null(5);
  }
  TRY(statement.run());
  return connection_.changes() > 0;
}

Status Refill::set_last_write(const RecoveredRecord& record, std::int64_t seq) {
  Statement statement = TRY(connection_.prepare("UPDATE embeddings SET seq_id = ?2 WHERE id = ?1"));
  statement.bind(1, record.row);
  return run_with_seq_id(statement, 2, seq, versions_);
}

// What collections left in the queue that are gone is not carried on either.
Status Refill::finish() {
  return connection_.execute(
      "DELETE FROM embeddings_queue; "
      "INSERT INTO embeddings_queue(seq_id, operation, topic, id, vector, encoding, metadata) "
      "SELECT seq_id, operation, topic, id, vector, CASE WHEN vector IS NULL THEN NULL ELSE 'FLOAT32' END, '{}' "
      "FROM loci_refill ORDER BY seq_id; DROP TABLE loci_refill;");
}

}  // namespace

Status refill_queue(Connection& connection, const SchemaVersions& versions,
                    const std::vector<CollectionRow>& collections, const VectorsOf& vectors) {
  Refill refill(connection, versions);
  TRY(refill.begin(collections));
  for (const CollectionRow& collection : collections) {
    const std::shared_ptr<const Recovered> recovered = TRY(vectors(collection));
    TRY(refill.add(collection, *recovered));
  }
  return refill.finish();
}

}  // namespace loci::chroma
