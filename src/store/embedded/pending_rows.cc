#include "store/embedded/pending_rows.h"

#include <string_view>

#include "store/embedded/checksum.h"
#include "store/embedded/row_writer.h"
#include "store/embedded/schema.h"
#include "store/embedded/vector_blob.h"

namespace loci::embedded {
namespace {

constexpr std::string_view kEmbeddingLease = "embedding.lock";

}  // namespace

Result<RowLeases> RowLeases::open(const std::filesystem::path& palace) {
  return RowLeases(TRY(LockFile::open(palace / kEmbeddingLease)));
}

Result<std::vector<std::int64_t>> lease_pending_rows(Connection& connection, std::int64_t collection, RowLeases& leases,
                                                     std::size_t limit) {
  Statement select =
      TRY(connection.prepare("SELECT row FROM records WHERE collection = ?1 AND embedded = 0 ORDER BY row"));
  select.bind(1, collection);
  std::vector<std::int64_t> rows;
  while (rows.size() < limit && TRY(select.step())) {
    const std::int64_t row = select.integer(0);
    if (leases.take(row)) rows.push_back(row);
  }
  return rows;
}

Result<std::vector<PendingRow>> read_pending_rows(Connection& connection, const std::vector<std::int64_t>& rows) {
  Statement select =
      TRY(connection.prepare("SELECT r.seq, r.id, d.text, d.checksum FROM records r JOIN documents d ON d.row = r.row "
                             "WHERE r.row = ?1 AND r.embedded = 0"));
  return read_rows(select, rows);
}

Result<std::vector<PendingRow>> read_rows(Statement& select, const std::vector<std::int64_t>& rows) {
  std::vector<PendingRow> pending;
  for (const std::int64_t row : rows) {
    if (TRY(select.bind(1, row).step())) {
      PendingRow& read = pending.emplace_back();
      read = {.row = row, .seq = select.integer(0), .id = std::string(select.text(1))};
      read.is_damaged = !is_intact(select, 3, text_checksum(row, select.text(2)));
      if (!read.is_damaged) read.text = select.text(2);
    }
    select.reset();
  }
  return pending;
}

Result<bool> store_pending_vector(Connection& connection, const PendingRow& row, const Embedding& vector) {
  // A change of its own, so that whoever follows the changes hears of the vector.
  const std::int64_t seq = TRY(take_seqs(connection));
  Statement update =
      TRY(connection.prepare("UPDATE records SET embedded = 1, seq = ?3 WHERE row = ?1 AND seq = ?2 AND embedded = 0"));
  TRY(update.bind(1, row.row).bind(2, row.seq).bind(3, seq).run());
  if (sqlite3_changes(connection.handle()) == 0) return false;
  TRY(write_vector(connection, row.row, as_blob(vector)));
  return true;
}

Result<bool> set_aside(Connection& connection, const PendingRow& row) {
  Statement update =
      TRY(connection.prepare("UPDATE records SET embedded = ?3 WHERE row = ?1 AND seq = ?2 AND embedded = 0"));
  TRY(update.bind(1, row.row).bind(2, row.seq).bind(3, static_cast<std::int64_t>(VectorState::missing)).run());
  return sqlite3_changes(connection.handle()) > 0;
}

}  // namespace loci::embedded
