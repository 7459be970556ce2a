#include "store/chroma/queue_writer.h"

#include <algorithm>
#include <string>

namespace loci::chroma {

Result<QueueWriter> QueueWriter::start(Connection& connection, const SchemaVersions& versions,
                                       const CollectionRow& collection) {
  const MetadataTables tables = TRY(MetadataTables::open(connection, versions, collection));
  // An emptied queue would begin again at 1, behind the frontiers, and Chroma would never look at its rows.
  std::int64_t last = TRY(last_queue_seq(connection));
  for (const CollectionRow& each : TRY(list_collections(connection, versions))) {
    for (const std::optional<Frontier>& frontier : {each.vector_frontier, each.metadata_frontier}) {
      if (!frontier) continue;
      if (frontier->is_poisoned || frontier->is_lost) {
        return Error{ErrorKind::corruption,
                     "the sequence numbers of this Chroma folder are damaged, and what is written would never be seen; "
                     "see `loci verify`, and `loci repair --only seq-ids`"};
      }
      last = std::max(last, frontier->seq);
    }
  }
  return QueueWriter(connection, versions, collection, tables, last);
}

Status QueueWriter::append(QueueOperation operation, std::string_view id, const Embedding* vector,
                           std::string_view metadata) {
  Statement insert =
      TRY(connection_->prepare("INSERT INTO embeddings_queue(seq_id, operation, topic, id, vector, encoding, metadata) "
                               "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  insert.bind(1, ++last_).bind(2, static_cast<std::int64_t>(operation)).bind(3, collection_->topic).bind(4, id);
  if (vector != nullptr) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(vector->data());
    insert.bind_blob(5, {bytes, vector->size() * sizeof(float)}).bind(6, "FLOAT32");
  } else {
    insert.bind_null(5).bind_null(6);
  }
  has_written_ = true;
  return insert.bind(7, metadata).run();
}

Status QueueWriter::put(const Record& record, std::optional<std::int64_t> row, OldVector old_vector) {
  MetadataChanges changes;
  if (row) {  // Chroma merges: what is to go must be said
    Record old;
    TRY(read_row(*connection_, versions_, *row, old));
    for (const auto& [key, value] : old.metadata) changes.emplace(key, std::nullopt);
    if (!old.document.empty()) changes.emplace(kDocumentKey, std::nullopt);
  }
  for (const auto& [key, value] : record.metadata) changes.insert_or_assign(key, value);
  if (!record.document.empty()) changes.insert_or_assign(std::string(kDocumentKey), record.document);
  const std::string json = to_json(changes);
  // Chroma's index refuses an addition without a vector, and passes over an update of what it does not have.
  if (record.embedding) {
    TRY(append(row ? QueueOperation::upsert : QueueOperation::add, record.id, &*record.embedding, json));
  } else {
    if (old_vector == OldVector::dropped) TRY(append(QueueOperation::erase, record.id, nullptr, "{}"));
    TRY(append(QueueOperation::update, record.id, nullptr, json));
  }
  if (!row) row = TRY(tables_.insert(record.id, last_));
  return tables_.change(*row, last_, changes);
}

Status QueueWriter::erase(std::string_view id, std::int64_t row) {
  TRY(append(QueueOperation::erase, id, nullptr, "{}"));
  return tables_.erase(row);
}

Status QueueWriter::finish() { return has_written_ ? tables_.set_frontier(last_) : ok_status(); }

}  // namespace loci::chroma
