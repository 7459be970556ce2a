#include "store/chroma/readable_rows.h"

#include <limits>

namespace loci::chroma {
namespace {

// A bad page hides the rows behind it from a scan, but not from a look-up: so many numbers are tried one by one before
// the steps grow. A damaged number may be huge, so they must grow.
constexpr std::int64_t kTriedOneByOne = std::int64_t{1} << 18;
constexpr std::int64_t kLastRow = std::numeric_limits<std::int64_t>::max();

// For one table.
class ReadableRows {
 public:
  ReadableRows(Connection& connection, const std::string& table, const std::function<Status(std::int64_t)>& visit)
      : connection_(connection),
        sql_("SELECT rowid FROM " + table + " NOT INDEXED WHERE rowid >= ?1 ORDER BY rowid"),
        visit_(visit) {
    // A table whose end is damaged does not say where it ends.
    const Result<std::int64_t> end = connection_.query_integer("SELECT max(rowid) FROM " + table + " NOT INDEXED");
    if (end.ok()) end_ = *end;
  }

  Result<bool> run() {
    std::int64_t step = 1;
    for (std::int64_t tried = 0; !TRY(scan()); ++tried) {
      is_whole_ = false;
      if (next_ > end_ || tried > kTriedOneByOne) step *= 2;
      if (step > kLastRow / 2 || next_ > kLastRow - step) break;
      next_ += step;
    }
    return is_whole_;
  }

 private:
  // From next_ on, which moves behind the last row. False: a page is bad.
  Result<bool> scan() {
    Statement select = TRY(connection_.prepare(sql_));
    select.bind(1, next_);
    while (true) {
      const Result<bool> there = select.step();
      if (!there.ok() && there.error().kind != ErrorKind::corruption) return there.error();
      if (!there.ok()) return false;
      if (!*there) return true;
      const std::int64_t row = select.integer(0);
      if (row < next_) continue;  // a page that is out of order
      TRY(visit_(row));
      if (row == kLastRow) return true;
      next_ = row + 1;
    }
  }

  Connection& connection_;
  const std::string sql_;
  const std::function<Status(std::int64_t)>& visit_;
  std::int64_t end_ = 0;
  std::int64_t next_ = 1;
  bool is_whole_ = true;
};

}  // namespace

Result<bool> visit_readable_rows(Connection& connection, const std::string& table,
                                 const std::function<Status(std::int64_t row)>& visit) {
  return ReadableRows(connection, table, visit).run();
}

}  // namespace loci::chroma
