#include "store/embedded/damaged_rows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace loci::embedded {
namespace {

constexpr std::array<std::string_view, 3> kRowTables = {"records", "documents", "vectors"};

// A bad page hides the rows behind it from a scan, but not from a look-up: so many row numbers are tried one by one
// before the steps grow. A damaged row number may be huge, so they must grow.
constexpr std::int64_t kTriedOneByOne = std::int64_t{1} << 20;
constexpr std::int64_t kLastNumber = std::numeric_limits<std::int64_t>::max();

// The largest row number that a table ends with; a table whose end is damaged does not say.
std::int64_t known_end(Connection& connection) {
  std::int64_t end = 0;
  for (const std::string_view table : kRowTables) {
    const Result<std::int64_t> last =
        connection.query_integer("SELECT max(row) FROM " + std::string(table) + " NOT INDEXED");
    if (last.ok()) end = std::max(end, *last);
  }
  return end;
}

// Appends the row numbers from `next` on, and moves it behind the last. True: there are no more; false: a page is bad.
bool scan_from(Connection& connection, const std::string& sql, std::int64_t& next, std::vector<std::int64_t>& rows) {
  Result<Statement> select = connection.prepare(sql);
  if (!select.ok()) return false;
  select->bind(1, next);
  while (true) {
    const Result<bool> row = select->step();
    if (!row.ok()) return false;
    if (!*row) return true;
    const std::int64_t number = select->integer(0);
    if (number < 1) continue;  // what zeros on a torn page look like
    rows.push_back(number);
    if (number == kLastNumber) return true;
    next = std::max(next, number + 1);
  }
}

// Goes round bad pages: behind one the scan starts again.
std::vector<std::int64_t> rows_of_table(Connection& connection, std::string_view table, std::int64_t end) {
  const std::string sql = "SELECT row FROM " + std::string(table) + " NOT INDEXED WHERE row >= ?1 ORDER BY row";
  std::vector<std::int64_t> rows;
  std::int64_t next = 1;
  std::int64_t step = 1;
  for (std::int64_t tried = 0; !scan_from(connection, sql, next, rows); ++tried) {
    if (next > end || tried > kTriedOneByOne) step *= 2;
    if (next > kLastNumber - step || step > kLastNumber / 2) break;
    next += step;
  }
  return rows;
}

// Behind a bad page an index is read from its other end.
void read_index(Connection& connection, const std::vector<std::int64_t>& in_records, DamagedRows& found) {
  for (const std::string_view order : {"collection, id", "collection DESC, id DESC"}) {
    Result<Statement> select = connection.prepare(
        "SELECT row, collection, id FROM records INDEXED BY records_by_id ORDER BY " + std::string(order));
    if (!select.ok()) continue;
    while (true) {
      const Result<bool> row = select->step();
      if (!row.ok()) break;
      if (!*row) return;
      const std::int64_t number = select->integer(0);
      if (number < 1 || std::binary_search(in_records.begin(), in_records.end(), number)) continue;
      found.identities.try_emplace(number, RowIdentity{select->integer(1), std::string(select->text(2))});
    }
  }
}

}  // namespace

DamagedRows find_damaged_rows(Connection& connection) {
  DamagedRows found;
  const std::int64_t end = known_end(connection);
  for (const std::string_view table : kRowTables) {
    std::vector<std::int64_t> rows = rows_of_table(connection, table, end);
    if (table == kRowTables.front()) {
      std::sort(rows.begin(), rows.end());
      read_index(connection, rows, found);
    }
    found.numbers.insert(found.numbers.end(), rows.begin(), rows.end());
  }
  for (const auto& [number, identity] : found.identities) found.numbers.push_back(number);
  std::sort(found.numbers.begin(), found.numbers.end());
  found.numbers.erase(std::unique(found.numbers.begin(), found.numbers.end()), found.numbers.end());
  return found;
}

}  // namespace loci::embedded
