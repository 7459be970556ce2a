// The collections of a palace, as rows. Everything here runs inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loci/backend.h"
#include "loci/collection.h"
#include "loci/result.h"
#include "store/embedded/sqlite.h"
#include "store/identity.h"

namespace loci::embedded {

struct CollectionRow {
  std::int64_t id = 0;
  std::string name;
  DistanceMetric metric = DistanceMetric::cosine;
  std::optional<std::size_t> dimension;
  std::string model;
};

Result<std::optional<CollectionRow>> find_collection(Connection& connection, std::string_view name);
Result<bool> has_collection(Connection& connection, std::int64_t id);
// Errors: collection_not_initialized.
Result<CollectionRow> load_collection(Connection& connection, std::string_view name);
Result<std::vector<CollectionRow>> list_collections(Connection& connection);
// Of a damaged list what can be read, by number; where only the index by name is left, the name alone.
std::vector<CollectionRow> list_readable_collections(Connection& connection);
Result<CollectionRow> create_collection(Connection& connection, std::string_view name, DistanceMetric metric);
// Removes it with all its records.
Status drop_collection(Connection& connection, const CollectionRow& collection);

Result<std::size_t> count_records(Connection& connection, std::int64_t collection);
Result<std::size_t> count_pending(Connection& connection, std::int64_t collection);
Result<std::size_t> count_missing(Connection& connection, std::int64_t collection);
Result<bool> has_vectors(Connection& connection, std::int64_t collection);
Status set_dimension(Connection& connection, CollectionRow& collection, std::size_t dimension);

// Stores which model the vectors are from. A model that replaces another is noted in the palace's migration log.
Status set_model(Connection& connection, CollectionRow& collection, std::string_view model);

// May there be vectors of other models than the recorded one? So it is from a swap of the model until all vectors are
// made anew.
Result<bool> has_mixed_vectors(Connection& connection, const CollectionRow& collection);

Result<IdentityCheck> identity_of(Connection& connection, const CollectionRow& collection, const Embedder* embedder,
                                  ModelSwap swap);

}  // namespace loci::embedded
