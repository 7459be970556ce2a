#include "store/chroma/row_pieces.h"

#include <array>
#include <span>

namespace loci::chroma {
namespace {

// Two columns that an index has for each row of its table, or for each row that has a value.
struct IndexColumns {
  std::string_view index;
  std::string_view first;
  std::string_view second;
};

constexpr std::array<IndexColumns, 1> kOfRecords = {{{"sqlite_autoindex_embeddings_1", "segment_id", "embedding_id"}}};
constexpr std::array<IndexColumns, 1> kOfMigrations = {{{"sqlite_autoindex_migrations_1", "dir", "version"}}};
constexpr std::array<IndexColumns, 4> kOfScalars = {{{"sqlite_autoindex_embedding_metadata_1", "id", "key"},
                                                     {"embedding_metadata_string_value", "key", "string_value"},
                                                     {"embedding_metadata_int_value", "key", "int_value"},
                                                     {"embedding_metadata_float_value", "key", "float_value"}}};
constexpr std::array<IndexColumns, 4> kOfLists = {{{"embedding_metadata_array_id_key", "id", "key"},
                                                   {"embedding_metadata_array_key_string", "key", "string_value"},
                                                   {"embedding_metadata_array_key_int", "key", "int_value"},
                                                   {"embedding_metadata_array_key_float", "key", "float_value"}}};

// Gathers the columns of the lost rows of a table in a table `pieces` of the database that is made.
class Pieces {
 public:
  Pieces(Connection& damaged, Connection& made, std::string_view table)
      : damaged_(damaged), made_(made), table_(table) {}

  Result<bool> gather(std::span<const IndexColumns> indexes) {
    TRY(
        made_.execute("DROP TABLE IF EXISTS temp.pieces; CREATE TEMP TABLE pieces(row INTEGER PRIMARY KEY, segment_id, "
                      "embedding_id, dir, version, id, key, string_value, int_value, float_value)"));
    bool is_whole = true;
    for (const IndexColumns& each : indexes) {
      bool is_read = TRY(read(each, " ASC"));
      // Behind a bad page an index is read from its other end.
      if (!is_read) TRY(read(each, " DESC"));
      is_whole = is_whole && is_read;
    }
    return is_whole;
  }

 private:
  // False: it cannot be read to its end, or is not there.
  Result<bool> read(const IndexColumns& columns, const std::string& order) {
    const std::string first(columns.first);
    const std::string second(columns.second);
    Result<Statement> select = damaged_.prepare("SELECT rowid, " + first + ", " + second + " FROM " + table_ +
                                                " INDEXED BY " + std::string(columns.index) + " WHERE " + second +
                                                " IS NOT NULL ORDER BY " + first + order + ", " + second + order);
    if (!select.ok()) return false;
    Statement is_there = TRY(made_.prepare("SELECT 1 FROM " + table_ + " WHERE rowid = ?1"));
    Statement keep = TRY(made_.prepare("INSERT INTO temp.pieces(row, " + first + ", " + second +
                                       ") VALUES (?1, ?2, ?3) ON CONFLICT(row) DO UPDATE SET " + first +
                                       " = excluded." + first + ", " + second + " = excluded." + second));
    while (true) {
      const Result<bool> next = select->step();
      if (!next.ok() && next.error().kind != ErrorKind::corruption) return next.error();
      if (!next.ok()) return false;
      if (!*next) return true;
      const std::int64_t row = select->integer(0);
      const bool is_known = TRY(is_there.bind(1, row).step());
      is_there.reset();
      if (is_known || row < 1) continue;
      TRY(keep.bind(1, row).bind_column(2, *select, 1).bind_column(3, *select, 2).run());
    }
  }

  Connection& damaged_;
  Connection& made_;
  const std::string table_;
};

}  // namespace

Result<bool> put_records_together(Connection& damaged, Connection& made) {
  const bool is_whole = TRY(Pieces(damaged, made, "embeddings").gather(kOfRecords));
  TRY(
      made.execute("INSERT OR IGNORE INTO embeddings(id, segment_id, embedding_id, seq_id) "
                   "SELECT row, segment_id, embedding_id, 0 FROM temp.pieces"));
  return is_whole;
}

Result<bool> put_migrations_together(Connection& damaged, Connection& made) {
  const bool is_whole = TRY(Pieces(damaged, made, "migrations").gather(kOfMigrations));
  TRY(
      made.execute("INSERT OR IGNORE INTO migrations(dir, version, filename, sql, hash) "
                   "SELECT dir, version, '', '', '' FROM temp.pieces"));
  return is_whole;
}

Result<bool> put_values_together(Connection& damaged, Connection& made, std::string_view table, LostValues& lost) {
  const bool is_lists = table == "embedding_metadata_array";
  const bool is_whole =
      TRY(Pieces(damaged, made, table).gather(is_lists ? std::span<const IndexColumns>(kOfLists) : kOfScalars));
  const std::string has_value = "coalesce(string_value, int_value, float_value) IS NOT NULL";
  TRY(made.execute("INSERT OR IGNORE INTO " + std::string(table) +
                   "(rowid, id, key, string_value, int_value, float_value) SELECT row, id, key, string_value, "
                   "int_value, float_value FROM temp.pieces WHERE id IS NOT NULL AND " +
                   has_value));
  // Truth values, for instance, are in no index.
  Statement select = TRY(made.prepare("SELECT DISTINCT id, key FROM temp.pieces WHERE id IS NOT NULL AND NOT (" +
                                      has_value + ") ORDER BY id, key"));
  while (TRY(select.step())) lost[select.integer(0)].push_back(clean_text(select.text(1)));
  return is_whole;
}

}  // namespace loci::chroma
