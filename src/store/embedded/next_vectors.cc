#include "store/embedded/next_vectors.h"

#include "base/clock.h"
#include "store/contract.h"
#include "store/embedded/checksum.h"
#include "store/embedded/schema.h"
#include "store/embedded/vector_blob.h"

namespace loci::embedded {
namespace {

constexpr std::string_view kMine = "row IN (SELECT row FROM records WHERE collection = ?1)";

Status run_for(Connection& connection, const std::string& sql, std::int64_t collection) {
  Statement statement = TRY(connection.prepare(sql));
  return statement.bind(1, collection).run();
}

Result<std::size_t> count(Connection& connection, std::string_view sql, std::int64_t collection) {
  Statement select = TRY(connection.prepare(sql));
  TRY(select.bind(1, collection).step());
  return static_cast<std::size_t>(select.integer(0));
}

// Every exchanged row is a change of its own, so that whoever follows the changes hears of its vector.
Status renumber(Connection& connection, std::int64_t collection, std::size_t rows) {
  std::int64_t seq = TRY(take_seqs(connection, rows));
  std::vector<std::int64_t> changed;
  changed.reserve(rows);
  {
    Statement select =
        TRY(connection.prepare("SELECT row FROM next_vectors WHERE " + std::string(kMine) + " ORDER BY row"));
    select.bind(1, collection);
    while (TRY(select.step())) changed.push_back(select.integer(0));
  }
  Statement update = TRY(connection.prepare("UPDATE records SET seq = ?2 WHERE row = ?1"));
  for (const std::int64_t row : changed) TRY(update.bind(1, row).bind(2, seq++).run());
  return {};
}

}  // namespace

Result<std::optional<NextModel>> find_next_model(Connection& connection, std::int64_t collection) {
  Statement select = TRY(connection.prepare("SELECT model, dimension FROM next_models WHERE collection = ?1"));
  if (!TRY(select.bind(1, collection).step())) return std::optional<NextModel>();
  NextModel next{.model = std::string(select.text(0)), .dimension = {}};
  if (!select.is_null(1)) next.dimension = static_cast<std::size_t>(select.integer(1));
  return std::optional(std::move(next));
}

Status start_next_model(Connection& connection, std::int64_t collection, std::string_view model) {
  TRY(forget_next_model(connection, collection));
  Statement insert =
      TRY(connection.prepare("INSERT INTO next_models(collection, model, started_at) VALUES (?1, ?2, ?3)"));
  return insert.bind(1, collection).bind(2, model).bind(3, now_unix_ms()).run();
}

Status forget_next_model(Connection& connection, std::int64_t collection) {
  TRY(run_for(connection, "DELETE FROM next_vectors WHERE " + std::string(kMine), collection));
  return run_for(connection, "DELETE FROM next_models WHERE collection = ?1", collection);
}

Result<ReembeddingState> count_next_vectors(Connection& connection, std::int64_t collection, const NextModel& next) {
  return ReembeddingState{
      .model = next.model,
      .done =
          TRY(count(connection,
                    "SELECT count(*) FROM next_vectors n CROSS JOIN records r ON r.row = n.row WHERE r.collection = ?1",
                    collection)),
      .total =
          TRY(count(connection, "SELECT count(*) FROM records WHERE collection = ?1 AND embedded = 1", collection))};
}

Result<std::vector<std::int64_t>> lease_old_rows(Connection& connection, std::int64_t collection, RowLeases& leases,
                                                 std::int64_t after, std::size_t limit) {
  Statement select = TRY(connection.prepare(
      "SELECT r.row FROM records r NOT INDEXED WHERE r.row > ?2 AND r.collection = ?1 AND r.embedded = 1 "
      "AND NOT EXISTS (SELECT 1 FROM next_vectors n WHERE n.row = r.row) ORDER BY r.row"));
  select.bind(1, collection).bind(2, after);
  std::vector<std::int64_t> rows;
  while (rows.size() < limit && TRY(select.step())) {
    const std::int64_t row = select.integer(0);
    if (leases.take(row)) rows.push_back(row);
  }
  return rows;
}

Result<std::vector<PendingRow>> read_old_rows(Connection& connection, const std::vector<std::int64_t>& rows) {
  Statement select = TRY(connection.prepare(
      "SELECT r.seq, r.id, d.text, d.checksum FROM records r JOIN documents d ON d.row = r.row WHERE "
      "r.row = ?1 AND r.embedded = 1 AND NOT EXISTS (SELECT 1 FROM next_vectors n WHERE n.row = r.row)"));
  return read_rows(select, rows);
}

Result<bool> store_next_vector(Connection& connection, const PendingRow& row, const Embedding& vector) {
  Statement insert = TRY(
      connection.prepare("INSERT INTO next_vectors(row, checksum, embedding) SELECT ?1, ?3, ?4 WHERE EXISTS (SELECT 1 "
                         "FROM records WHERE row = ?1 AND seq = ?2) ON CONFLICT(row) DO NOTHING"));
  const std::span<const std::uint8_t> blob = as_blob(vector);
  TRY(insert.bind(1, row.row).bind(2, row.seq).bind(3, blob_checksum(row.row, blob)).bind_blob(4, blob).run());
  return connection.changes() > 0;
}

Status set_next_dimension(Connection& connection, std::int64_t collection, std::size_t dimension) {
  Statement update = TRY(connection.prepare("UPDATE next_models SET dimension = ?2 WHERE collection = ?1"));
  return update.bind(1, collection).bind(2, static_cast<std::int64_t>(dimension)).run();
}

Result<bool> lacks_next_vectors(Connection& connection, std::int64_t collection) {
  Statement select = TRY(
      connection.prepare("SELECT 1 FROM records r WHERE r.collection = ?1 AND r.embedded = 1 AND NOT EXISTS (SELECT 1 "
                         "FROM next_vectors n WHERE n.row = r.row) LIMIT 1"));
  return select.bind(1, collection).step();
}

Status exchange_vectors(Connection& connection, CollectionRow& collection, const NextModel& next) {
  const std::size_t rows = TRY(count_next_vectors(connection, collection.id, next)).done;
  if (rows > 0) TRY(renumber(connection, collection.id, rows));
  TRY(run_for(connection,
              "INSERT INTO vectors(row, checksum, embedding) SELECT row, checksum, embedding FROM next_vectors WHERE "
              "length(embedding) > 0 AND " +
                  std::string(kMine) +
                  " ON CONFLICT(row) DO UPDATE SET checksum = excluded.checksum, embedding = excluded.embedding",
              collection.id));
  const std::string refused =
      " row IN (SELECT row FROM next_vectors WHERE length(embedding) = 0 AND " + std::string(kMine) + ")";
  TRY(run_for(connection, "DELETE FROM vectors WHERE" + refused, collection.id));
  TRY(run_for(connection, "UPDATE records SET embedded = 2 WHERE" + refused, collection.id));
  const std::string detail = "collection " + in_quotes(collection.name) + ": " + std::to_string(rows) + " vectors of " +
                             (collection.model.empty() ? "an unknown model" : collection.model) + " to " + next.model;
  Statement log = TRY(connection.prepare("INSERT INTO migrations(at, what, detail) VALUES (?1, 're-embedding', ?2)"));
  TRY(log.bind(1, now_unix_ms()).bind(2, detail).run());
  Statement update = TRY(connection.prepare("UPDATE collections SET model = ?2, dimension = ?3 WHERE id = ?1"));
  update.bind(1, collection.id).bind(2, next.model);
  if (next.dimension) {
    update.bind(3, static_cast<std::int64_t>(*next.dimension));
  } else {
    update.bind_null(3);  // there was no vector, so the first one decides
  }
  TRY(update.run());
  return forget_next_model(connection, collection.id);
}

}  // namespace loci::embedded
