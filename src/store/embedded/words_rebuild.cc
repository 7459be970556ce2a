#include "store/embedded/words_rebuild.h"

#include <string>
#include <vector>

#include "store/embedded/catalog.h"
#include "store/embedded/schema.h"

namespace loci::embedded {
namespace {

constexpr std::int64_t kRowsPerStep = 500;  // writers get their turn between two steps
constexpr std::string_view kAsidePrefix = "rebuilt_words_";

std::string aside_table(std::int64_t collection) { return std::string(kAsidePrefix) + std::to_string(collection); }

// Fills in ?1 (the collection), ?2 and ?3.
Status run_with(Connection& connection, const std::string& sql, std::int64_t collection, std::int64_t second,
                std::int64_t third = 0) {
  Statement statement = TRY(connection.prepare(sql));
  statement.bind(1, collection).bind(2, second);
  if (third != 0) statement.bind(3, third);
  return statement.run();
}

// Makes the empty index, and says after which change what it holds is old.
Result<std::int64_t> begin(Database& database, std::int64_t collection) {
  return database.write([&](Connection& connection) -> Result<std::int64_t> {
    TRY(drop_unfinished_words(connection));
    TRY(create_words_table(connection, aside_table(collection)));
    return connection.query_integer("SELECT value FROM palace WHERE key = 'seq'");
  });
}

// The next rows behind `last`; returns the last of them, or 0 when there are no more.
Result<std::int64_t> add_rows(Database& database, std::int64_t collection, std::int64_t last) {
  return database.write([&](Connection& connection) -> Result<std::int64_t> {
    std::int64_t end = 0;
    {
      Statement select =
          TRY(connection.prepare("SELECT ifnull(max(row), 0) FROM (SELECT row FROM records NOT INDEXED "
                                 "WHERE collection = ?1 AND row > ?2 ORDER BY row LIMIT ?3)"));
      if (TRY(select.bind(1, collection).bind(2, last).bind(3, kRowsPerStep).step())) end = select.integer(0);
    }
    if (end == 0) return 0;
    TRY(run_with(connection,
                 "INSERT INTO " + aside_table(collection) +
                     "(rowid, text) SELECT d.row, d.text FROM records r NOT INDEXED JOIN documents d ON d.row = r.row "
                     "WHERE r.collection = ?1 AND r.row > ?2 AND r.row <= ?3 ORDER BY r.row",
                 collection, last, end));
    return end;
  });
}

Status bring_over_changes(Connection& connection, std::int64_t collection, std::int64_t seq) {
  const std::string aside = aside_table(collection);
  TRY(run_with(connection,
               "DELETE FROM " + aside +
                   " WHERE rowid IN (SELECT row FROM records WHERE seq > ?2 AND collection = ?1 UNION "
                   "SELECT row FROM deletions WHERE seq > ?2 AND collection = ?1)",
               collection, seq));
  return run_with(connection,
                  "INSERT INTO " + aside +
                      "(rowid, text) SELECT d.row, d.text FROM records r JOIN documents d ON d.row = r.row "
                      "WHERE r.seq > ?2 AND r.collection = ?1 ORDER BY r.row",
                  collection, seq);
}

Result<std::int64_t> take_place(Database& database, std::int64_t collection, std::int64_t seq) {
  return database.write([&](Connection& connection) -> Result<std::int64_t> {
    const std::string aside = aside_table(collection);
    if (!TRY(has_collection(connection, collection))) {
      TRY(connection.execute("DROP TABLE " + aside));
      return 0;
    }
    TRY(bring_over_changes(connection, collection, seq));
    TRY(connection.execute("DROP TABLE IF EXISTS " + words_table(collection)));
    TRY(connection.execute("ALTER TABLE " + aside + " RENAME TO " + words_table(collection)));
    return connection.query_integer("SELECT count(*) FROM " + words_table(collection) + "_docsize");
  });
}

}  // namespace

Result<std::int64_t> rebuild_words(Database& database, std::int64_t collection) {
  const std::int64_t seq = TRY(begin(database, collection));
  for (std::int64_t last = 0;;) {
    const std::int64_t end = TRY(add_rows(database, collection, last));
    if (end == 0) break;
    last = end;
  }
  return take_place(database, collection, seq);
}

Result<bool> drop_unfinished_words(Connection& connection) {
  std::vector<std::string> names;
  {
    Statement select =
        TRY(connection.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE %' "
                               "AND substr(name, 1, length(?1)) = ?1"));
    select.bind(1, kAsidePrefix);
    while (TRY(select.step())) names.emplace_back(select.text(0));
  }
  for (const std::string& name : names) TRY(connection.execute("DROP TABLE " + name));
  return !names.empty();
}

}  // namespace loci::embedded
