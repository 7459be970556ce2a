#include "store/chroma/queue.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace loci::chroma {

Status visit_queue(Connection& connection, const CollectionRow& collection, std::int64_t after,
                   const std::function<Status(const QueueRow&)>& visit) {
  // Only the end of the topic names the collection; what stands before are settings of the server.
  Statement select =
      TRY(connection.prepare("SELECT seq_id, operation, id, length(vector) FROM embeddings_queue "
                             "WHERE seq_id > ?1 AND (topic = ?2 OR substr(topic, -37) = ?3) ORDER BY seq_id"));
  const std::string suffix = "/" + collection.id;
  select.bind(1, after).bind(2, collection.topic).bind(3, suffix);
  while (TRY(select.step())) {
    QueueRow row;
    row.seq = select.integer(0);
    if (const std::int64_t operation = select.integer(1); operation >= 0 && operation < kQueueOperations)
      row.operation = static_cast<QueueOperation>(operation);
    row.id = select.text(2);
    row.vector_bytes = static_cast<std::size_t>(std::max<std::int64_t>(0, select.integer(3)));
    TRY(visit(row));
  }
  return {};
}

bool carries_vector(const QueueRow& row, std::optional<std::size_t> dimension) {
  return row.vector_bytes > 0 && row.vector_bytes % sizeof(float) == 0 &&
         (!dimension || row.vector_bytes == *dimension * sizeof(float));
}

Result<QueuedDimensions> queued_dimensions(Connection& connection, const CollectionRow& collection) {
  Statement select =
      TRY(connection.prepare("SELECT length(vector), max(seq_id) FROM embeddings_queue WHERE length(vector) > 0 AND "
                             "(topic = ?1 OR substr(topic, -37) = ?2) GROUP BY 1 ORDER BY 2 DESC"));
  const std::string suffix = "/" + collection.id;
  select.bind(1, collection.topic).bind(2, suffix);
  QueuedDimensions dimensions;
  if (!TRY(select.step())) return dimensions;
  const auto bytes = static_cast<std::size_t>(select.integer(0));
  dimensions.is_one = !TRY(select.step());
  if (bytes % sizeof(float) == 0) dimensions.newest = bytes / sizeof(float);
  return dimensions;
}

std::optional<Embedding> decode_queue_vector(std::span<const std::uint8_t> blob, std::optional<std::size_t> dimension) {
  if (blob.empty() || blob.size() % sizeof(float) != 0) return {};
  if (dimension && blob.size() != *dimension * sizeof(float)) return {};
  Embedding vector(blob.size() / sizeof(float));
  std::memcpy(vector.data(), blob.data(), blob.size());
  if (!std::all_of(vector.begin(), vector.end(), [](float value) { return std::isfinite(value); })) return {};
  if (std::all_of(vector.begin(), vector.end(), [](float value) { return value == 0; })) return {};
  return vector;
}

Result<std::optional<Embedding>> queue_vector(Connection& connection, std::int64_t seq,
                                              std::optional<std::size_t> dimension) {
  Statement select = TRY(connection.prepare("SELECT vector FROM embeddings_queue WHERE seq_id = ?1"));
  if (!TRY(select.bind(1, seq).step())) return std::optional<Embedding>();
  return decode_queue_vector(select.blob(0), dimension);
}

Result<std::int64_t> last_queue_seq(Connection& connection) {
  return connection.query_integer("SELECT coalesce(max(seq_id), 0) FROM embeddings_queue");
}

}  // namespace loci::chroma
