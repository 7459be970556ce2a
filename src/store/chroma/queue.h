// Chroma's queue: every write since the vector index was last persisted, and often more.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "loci/record.h"
#include "loci/result.h"
#include "store/chroma/catalog.h"

namespace loci::chroma {

enum class QueueOperation { add, update, upsert, erase };
inline constexpr std::int64_t kQueueOperations = 4;

// One row, without what is in it.
struct QueueRow {
  std::int64_t seq = 0;
  std::optional<QueueOperation> operation;  // nothing: one that we do not know
  std::string_view id;                      // until the next row
  std::size_t vector_bytes = 0;
};

// Is there a vector in it, of that dimension where one is given?
bool carries_vector(const QueueRow& row, std::optional<std::size_t> dimension);

// The rows of a collection after `after`, oldest first.
Status visit_queue(Connection& connection, const CollectionRow& collection, std::int64_t after,
                   const std::function<Status(const QueueRow&)>& visit);

// The vector of a row. Nothing when there is none, or it has another dimension, or is not finite.
Result<std::optional<Embedding>> queue_vector(Connection& connection, std::int64_t seq,
                                              std::optional<std::size_t> dimension);

// Of which dimension the vectors in the queue of a collection are.
struct QueuedDimensions {
  std::optional<std::size_t> newest;
  bool is_one = false;  // all of them are of that one
};
Result<QueuedDimensions> queued_dimensions(Connection& connection, const CollectionRow& collection);

// A blob of the column `vector`. Nothing when it is none of that dimension, is not finite, or is all zeros.
std::optional<Embedding> decode_queue_vector(std::span<const std::uint8_t> blob, std::optional<std::size_t> dimension);

// The highest number in the queue, of all collections; 0 when it is empty.
Result<std::int64_t> last_queue_seq(Connection& connection);

}  // namespace loci::chroma
