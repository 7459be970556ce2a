#include "store/embedded/checksum.h"

#include <bit>
#include <string>

#include <xxhash.h>

#include "store/contract.h"

namespace loci::embedded {

std::int64_t text_checksum(std::int64_t row, std::string_view text) {
  return std::bit_cast<std::int64_t>(XXH3_64bits_withSeed(text.data(), text.size(), std::bit_cast<std::uint64_t>(row)));
}

std::int64_t blob_checksum(std::int64_t row, std::span<const std::uint8_t> blob) {
  return text_checksum(row, {reinterpret_cast<const char*>(blob.data()), blob.size()});
}

std::int64_t record_checksum(std::int64_t row, std::string_view id, std::string_view source,
                             std::span<const std::uint8_t> metadata) {
  return blob_checksum(text_checksum(text_checksum(row, id), source), metadata);
}

std::int64_t source_checksum(std::string_view name, std::span<const std::uint8_t> metadata) {
  return blob_checksum(text_checksum(0, name), metadata);
}

bool is_intact(const Statement& statement, int column, std::int64_t expected) {
  return !statement.is_null(column) && statement.integer(column) == expected;
}

Error damaged_record(std::string_view id, std::string_view part) {
  return {ErrorKind::corruption,
          "the " + std::string(part) + " of record " + in_quotes(id) +
              " is damaged on disk; `loci verify --deep` shows what else is, and `loci repair` saves the rest"};
}

}  // namespace loci::embedded
