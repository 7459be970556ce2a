// Making a Chroma database with the tables that release 1.0 has after its migrations.
#pragma once

#include <string_view>

#include "loci/collection.h"
#include "loci/result.h"
#include "store/chroma/catalog.h"
#include "store/chroma/migrations.h"

namespace loci::chroma {

// In an empty database, inside a transaction. Chroma opens it only with its own texts; tests do without.
Status create_schema(Connection& connection, const MigrationTexts& texts);

// A collection with its two segments, in the default database. Errors: unsupported for databases of older releases.
Status insert_collection(Connection& connection, const SchemaVersions& versions, std::string_view name,
                         DistanceMetric metric);

// Removes the collection and all its rows; its folder stays, as Chroma leaves it.
Status remove_collection(Connection& connection, const SchemaVersions& versions, const CollectionRow& collection);

Status set_dimension(Connection& connection, const CollectionRow& collection, std::size_t dimension);
// In the collection's metadata, where a swap is also noted.
Status set_model(Connection& connection, const CollectionRow& collection, std::string_view model);

}  // namespace loci::chroma
