// The vectors of a sqlite-vec table, read from its shadow tables without the extension.
//
// `chunks_vec_rowids` says in which block, and where in it, the vector of a row lies; `chunks_vec_vector_chunks00` has
// the blocks of float32, little end first; `chunks_vec_chunks` has for each block how many vectors fit and which are in
// use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loci/record.h"
#include "loci/result.h"
#include "store/sqlite/sqlite.h"

namespace loci::memtomem {

// For one thread. Keeps the block that was read last, so rows are best asked for in their order.
class VectorBlocks {
 public:
  // A database without such tables, or with tables that make no sense, has no vectors.
  static Result<VectorBlocks> open(sqlite::Connection& connection);

  std::optional<std::size_t> dimension() const { return dimension_; }

  // Nothing for a row without a vector, or with one that lies outside its block.
  Result<std::optional<Embedding>> vector_of(std::int64_t row);

 private:
  explicit VectorBlocks(sqlite::Connection& connection) : connection_(&connection) {}
  Status load(std::int64_t block);

  sqlite::Connection* connection_;
  std::optional<std::size_t> dimension_;
  std::optional<std::int64_t> loaded_;
  std::vector<std::uint8_t> vectors_;
  std::vector<std::uint8_t> validity_;
};

}  // namespace loci::memtomem
