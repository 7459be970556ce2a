// Metadata as SQLite's own JSONB, so that any SQLite shell reads it: SELECT json(metadata) FROM records.
//
// What all records of a source share is stored once, with the source. A record's own metadata overrides it key by
// key; a JSON null there says that the record does not have the source's key. Where a mined record stands in its
// source, five integers, is one list without names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loci/metadata.h"
#include "loci/result.h"

namespace loci::embedded {

using Jsonb = std::vector<std::uint8_t>;
using JsonbView = std::span<const std::uint8_t>;

Jsonb encode_metadata(const Metadata& metadata);

// Errors: corruption.
Result<Metadata> decode_metadata(JsonbView jsonb);

// The value of one key without decoding the rest; absent also when the blob is damaged there.
std::optional<MetadataValue> find_value(JsonbView own, JsonbView shared, std::string_view key);

// What is left to store with the record when `shared` is stored with its source.
Jsonb encode_own(const Metadata& metadata, const Metadata& shared);
// The inverse: what the record's metadata is. Errors: corruption.
Result<Metadata> decode_merged(JsonbView own, JsonbView shared);

// A list alone, for json_each() in SQL.
Jsonb encode_list(const std::vector<std::string>& list);
Jsonb encode_list(const std::vector<std::int64_t>& list);

// The pairs that all of these have in common.
Metadata common_pairs(std::span<const Metadata* const> all);

}  // namespace loci::embedded
