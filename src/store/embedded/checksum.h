// Checksums of what a row holds. SQLite does not notice a bit that flipped in a text, so each text, vector and map of
// metadata carries one. They include what ties the parts of a record together, its row number, its id and the name of
// its source, so that a part which damage moved to another record is noticed too.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "loci/result.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

std::int64_t text_checksum(std::int64_t row, std::string_view text);
std::int64_t blob_checksum(std::int64_t row, std::span<const std::uint8_t> blob);
// Of what a row of `records` says: its id, its source's name (empty without one) and its own metadata.
std::int64_t record_checksum(std::int64_t row, std::string_view id, std::string_view source,
                             std::span<const std::uint8_t> metadata);
std::int64_t source_checksum(std::string_view name, std::span<const std::uint8_t> metadata);

// Does the checksum in this column fit? One that is missing does not: damage can take it away.
bool is_intact(const Statement& statement, int column, std::int64_t expected);

// `part` is "text", "vector" or "metadata".
Error damaged_record(std::string_view id, std::string_view part);

}  // namespace loci::embedded
