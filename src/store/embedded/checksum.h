// Checksums of what a row holds. SQLite does not notice a bit that flipped in a text, so each text, vector and map of
// metadata carries one. Those of texts and vectors include the number of the row: one that damage moved to another row
// is noticed too.
//
// A NULL in the database says that somebody else wrote the row, and is not checked.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "loci/result.h"
#include "store/embedded/sqlite.h"

namespace loci::embedded {

std::int64_t text_checksum(std::int64_t row, std::string_view text);
std::int64_t blob_checksum(std::int64_t row, std::span<const std::uint8_t> blob);
// Of the metadata that stand in one row with the id of a record, or with the name of a source.
std::int64_t metadata_checksum(std::string_view id, std::span<const std::uint8_t> metadata);

// Does the checksum in this column fit? True also for NULL.
bool is_intact(const Statement& statement, int column, std::int64_t expected);

// `part` is "text", "vector" or "metadata".
Error damaged_record(std::string_view id, std::string_view part);

}  // namespace loci::embedded
