#include "store/embedded/tail_cache.h"

#include <algorithm>
#include <iterator>

#include "store/embedded/checksum.h"
#include "store/embedded/vector_blob.h"

namespace loci::embedded {
namespace {

using TailRows = std::vector<std::shared_ptr<const TailRow>>;

// Bytes of vectors that are kept of one collection.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

bool is_in(const std::vector<std::int64_t>& sorted, std::int64_t row) {
  return std::binary_search(sorted.begin(), sorted.end(), row);
}

bool is_changed(const Changes& changes, std::int64_t row) {
  return is_in(changes.written, row) || is_in(changes.removed, row);
}

Result<TailRows> read_rows(Connection& connection, std::size_t dimension, const std::vector<std::int64_t>& rows) {
  TailRows read;
  Statement select =
      TRY(connection.prepare("SELECT r.id, v.embedding, v.checksum FROM vectors v JOIN records r ON r.row = v.row "
                             "WHERE v.row = ?1"));
  for (const std::int64_t row : rows) {
    if (TRY(select.bind(1, row).step())) {
      const std::span<const std::uint8_t> blob = select.blob(1);
      if (!is_intact(select, 2, blob_checksum(row, blob)) || blob.size() != dimension * sizeof(float))
        return damaged_record(select.text(0), "vector");
      read.push_back(std::make_shared<const TailRow>(TailRow{row, std::string(select.text(0)), from_blob(blob)}));
    }
    select.reset();
  }
  return read;
}

std::vector<std::int64_t> merged(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::vector<std::int64_t> both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

// `old` with what changed after it.
Changes extended(const Changes& old, const Changes& newer) {
  Changes changes{.written = {}, .removed = merged(old.removed, newer.removed)};
  for (const std::int64_t row : merged(old.written, newer.written)) {
    if (!is_in(newer.removed, row)) changes.written.push_back(row);
  }
  return changes;
}

}  // namespace

Result<std::shared_ptr<const Tail>> TailCache::tail(Connection& connection, std::int64_t collection,
                                                    std::size_t dimension, std::int64_t covered_seq) {
  const std::int64_t seq = TRY(current_seq(connection));
  std::shared_ptr<const Tail> known;
  {
    const MutexLock lock(mutex_);
    if (const auto found = tails_.find(collection); found != tails_.end()) known = found->second;
  }
  const bool is_usable = known != nullptr && known->covered_seq == covered_seq && known->seq <= seq;
  if (is_usable && known->seq == seq) return known;

  auto made = std::make_shared<Tail>();
  made->covered_seq = covered_seq;
  made->seq = seq;
  const Changes newer = TRY(changes_after(connection, collection, is_usable ? known->seq : covered_seq));
  made->changes = is_usable ? extended(known->changes, newer) : newer;
  const std::size_t most_rows = kMostBytes / (dimension * sizeof(float));
  if (made->changes.written.size() <= most_rows && (!is_usable || known->rows)) {
    TailRows rows = TRY(read_rows(connection, dimension, newer.written));
    if (is_usable) {
      std::copy_if(known->rows->begin(), known->rows->end(), std::back_inserter(rows),
                   [&](const auto& row) { return !is_changed(newer, row->row); });
      std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a->row < b->row; });
    }
    made->rows = std::move(rows);
  }
  const MutexLock lock(mutex_);
  std::shared_ptr<const Tail>& kept = tails_[collection];
  if (kept == nullptr || kept->seq <= seq) kept = made;
  return std::shared_ptr<const Tail>(std::move(made));
}

}  // namespace loci::embedded
