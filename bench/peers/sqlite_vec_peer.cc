// sqlite-vec on the files of the vector bench: a vec0 table in a file, through the system's SQLite, since ours loads no
// extensions.
//
// sqlite_vec_peer --extension VEC0.SO --base FILE --queries FILE --dim N
#include <cstdio>
#include <filesystem>
#include <string>

#include <sqlite3.h>

#include "base/temporary_folder.h"
#include "bench/peers/peer_report.h"
#include "bench/workloads/measure.h"

namespace {

using namespace loci;
using namespace loci::bench;

void check(int code, sqlite3* database, const char* what) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  std::fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(database));
  std::exit(1);
}

sqlite3_stmt* prepare(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), database, sql.c_str());
  return statement;
}

void execute(sqlite3* database, const std::string& sql) {
  check(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), database, sql.c_str());
}

void bind(sqlite3_stmt* statement, int index, std::span<const float> vector) {
  sqlite3_bind_blob(statement, index, vector.data(), static_cast<int>(vector.size_bytes()), SQLITE_STATIC);
}

}  // namespace

int main(int argument_count, char** arguments) {
  const VectorWorkload work(argument_count, arguments);
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "vectors.db").string();
  sqlite3* database = nullptr;
  check(sqlite3_open(file.c_str(), &database), database, "open");
  sqlite3_enable_load_extension(database, 1);
  check(sqlite3_load_extension(database, option(argument_count, arguments, "extension", "").c_str(), nullptr, nullptr),
        database, "load --extension");
  execute(database, "CREATE VIRTUAL TABLE v USING vec0(e float[" + std::to_string(work.base().dimension()) +
                        "] distance_metric=cosine)");
  PeerFigures figures{.system = "sqlite-vec", .settings = "exact", .latency = {}};
  const Stopwatch load;
  execute(database, "BEGIN");
  sqlite3_stmt* insert = prepare(database, "INSERT INTO v(rowid, e) VALUES (?1, ?2)");
  for (std::size_t row = 0; row < work.base().rows(); ++row) {
    sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(row));
    bind(insert, 2, work.base().row(row));
    check(sqlite3_step(insert), database, "insert");
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  execute(database, "COMMIT");
  figures.load_seconds = load.seconds();
  figures.bytes_per_row =
      static_cast<double>(std::filesystem::file_size(file)) / static_cast<double>(work.base().rows());
  sqlite3_stmt* select = prepare(database, "SELECT rowid FROM v WHERE e MATCH ?1 AND k = 10 ORDER BY distance");
  work.measure(
      [&](std::size_t query) {
        bind(select, 1, work.queries().row(query));
        std::vector<std::size_t> rows;
        while (sqlite3_step(select) == SQLITE_ROW)
          rows.push_back(static_cast<std::size_t>(sqlite3_column_int64(select, 0)));
        sqlite3_reset(select);
        return rows;
      },
      figures);
  work.print(figures);
  sqlite3_finalize(select);
  sqlite3_close(database);
  return 0;
}
