// The rows of a re-embedding: which model is to make new vectors for a collection, and those that it has made so far.
// Everything here runs inside the caller's transaction.
//
// A new vector belongs to the text that the record has now: whoever changes the text or removes the record removes the
// new vector in the same transaction (row_writer.h). An empty vector says that the model refuses the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loci/record.h"
#include "loci/reembedding.h"
#include "loci/result.h"
#include "store/embedded/catalog.h"
#include "store/embedded/pending_rows.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

struct NextModel {
  std::string model;
  std::optional<std::size_t> dimension;  // absent until the first vector
};
Result<std::optional<NextModel>> find_next_model(Connection& connection, std::int64_t collection);

// Sets the model, and forgets what another one has made.
Status start_next_model(Connection& connection, std::int64_t collection, std::string_view model);
Status forget_next_model(Connection& connection, std::int64_t collection);

Result<ReembeddingState> count_next_vectors(Connection& connection, std::int64_t collection, const NextModel& next);

// Up to `limit` rows after `after` that have a vector but no new one, and that nobody else has leased, oldest first.
Result<std::vector<std::int64_t>> lease_old_rows(Connection& connection, std::int64_t collection, RowLeases& leases,
                                                 std::int64_t after, std::size_t limit);

// Those of the rows that still have a vector and lack a new one, with their texts: since they were leased, another
// process may have made theirs, or changed their text, which then waits in the queue of pending rows. Errors:
// corruption.
Result<std::vector<PendingRow>> read_old_rows(Connection& connection, const std::vector<std::int64_t>& rows);

// Stores the new vector unless the record was changed or removed since it was read, or has one; then false.
Result<bool> store_next_vector(Connection& connection, const PendingRow& row, const Embedding& vector);
Status set_next_dimension(Connection& connection, std::int64_t collection, std::size_t dimension);

// Is there a record whose vector has no successor yet?
Result<bool> lacks_next_vectors(Connection& connection, std::int64_t collection);

// Puts the new vectors in the place of the old ones, records model and dimension, and logs it.
Status exchange_vectors(Connection& connection, CollectionRow& collection, const NextModel& next);

}  // namespace loci::embedded
