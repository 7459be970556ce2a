#include "store/memtomem/memtomem_vectors.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace loci::memtomem {
namespace {

static_assert(std::endian::native == std::endian::little, "blocks are read as they lie there");

constexpr std::size_t kMaxDimension = 65'536;

bool is_vector(const Embedding& vector) {
  bool has_direction = false;
  for (const float component : vector) {
    if (!std::isfinite(component)) return false;
    has_direction = has_direction || component != 0;
  }
  return has_direction;
}

}  // namespace

Result<VectorBlocks> VectorBlocks::open(sqlite::Connection& connection) {
  VectorBlocks blocks(connection);
  const std::int64_t tables =
      TRY(connection.query_integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN "
                                   "('chunks_vec_rowids', 'chunks_vec_chunks', 'chunks_vec_vector_chunks00')"));
  if (tables != 3) return blocks;
  sqlite::Statement select =
      TRY(connection.prepare("SELECT length(v.vectors), c.size FROM chunks_vec_vector_chunks00 v "
                             "JOIN chunks_vec_chunks c ON c.chunk_id = v.rowid LIMIT 1"));
  if (!TRY(select.step())) return blocks;
  const std::int64_t bytes = select.integer(0);
  const std::int64_t slots = select.integer(1);
  if (slots <= 0 || bytes <= 0 || bytes % (slots * 4) != 0) return blocks;
  const auto dimension = static_cast<std::size_t>(bytes / (slots * 4));
  if (dimension <= kMaxDimension) blocks.dimension_ = dimension;
  return blocks;
}

Status VectorBlocks::load(std::int64_t block) {
  if (loaded_ == block) return ok_status();
  loaded_.reset();
  vectors_.clear();
  validity_.clear();
  sqlite::Statement select =
      TRY(connection_->prepare("SELECT v.vectors, c.validity FROM chunks_vec_vector_chunks00 v "
                               "JOIN chunks_vec_chunks c ON c.chunk_id = v.rowid WHERE v.rowid = ?1"));
  if (TRY(select.bind(1, block).step())) {
    const auto vectors = select.blob(0);
    vectors_.assign(vectors.begin(), vectors.end());
    const auto validity = select.blob(1);
    validity_.assign(validity.begin(), validity.end());
  }
  loaded_ = block;
  return ok_status();
}

Result<std::optional<Embedding>> VectorBlocks::vector_of(std::int64_t row) {
  std::optional<Embedding> vector;
  if (!dimension_) return vector;
  std::int64_t block = 0;
  std::int64_t slot = 0;
  {
    sqlite::Statement select =
        TRY(connection_->prepare("SELECT chunk_id, chunk_offset FROM chunks_vec_rowids WHERE rowid = ?1"));
    if (!TRY(select.bind(1, row).step()) || select.is_null(0) || select.is_null(1)) return vector;
    block = select.integer(0);
    slot = select.integer(1);
  }
  TRY(load(block));
  const std::size_t size = *dimension_ * sizeof(float);
  if (slot < 0 || static_cast<std::size_t>(slot) >= vectors_.size() / size) return vector;
  const auto at = static_cast<std::size_t>(slot);
  const bool is_in_use = at / 8 < validity_.size() && (validity_[at / 8] >> (at % 8) & 1U) != 0;
  if (!is_in_use) return vector;
  vector.emplace(*dimension_);
  std::memcpy(vector->data(), vectors_.data() + at * size, size);
  if (!is_vector(*vector)) vector.reset();
  return vector;
}

}  // namespace loci::memtomem
