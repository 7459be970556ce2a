#include <string>

#include "store/embedded/catalog.h"
#include "store/embedded/maintenance_kinds.h"
#include "store/embedded/schema.h"
#include "store/embedded/words_rebuild.h"

namespace loci::embedded {
namespace {

// Word index pages that one transaction merges; writers get their turn between two of them.
constexpr std::int64_t kPagesPerStep = 500;
// Others may write faster than one merges.
constexpr int kMostSteps = 100'000;

// A file is written anew when a tenth of it is free. Less than that the next writes will use.
constexpr std::int64_t kFreeShare = 10;
constexpr std::int64_t kFewPages = 16;

// Readers keep the log from being emptied as long as they read, and whoever waits for them keeps writers away.
constexpr int kCheckpointPatienceMs = 200;

// One step of merging a word index into one piece. False: nothing was left to do.
Result<bool> merge_words(Database& database, std::int64_t collection, std::int64_t pages) {
  return database.write([&](Connection& connection) -> Result<bool> {
    if (!TRY(has_collection(connection, collection))) return false;
    const std::string words = words_table(collection);
    const std::int64_t before = sqlite3_total_changes64(connection.handle());
    Statement merge = TRY(connection.prepare("INSERT INTO " + words + "(" + words + ", rank) VALUES ('merge', ?1)"));
    TRY(merge.bind(1, pages).run());
    // The command itself counts as one change.
    return sqlite3_total_changes64(connection.handle()) - before >= 2;
  });
}

// Returns how many steps did something.
Result<std::int64_t> merge_all_words(Database& database) {
  const auto collections = TRY(database.read([](Connection& connection) { return list_collections(connection); }));
  std::int64_t steps = 0;
  for (const CollectionRow& collection : collections) {
    // A negative number begins to merge everything there is, positive ones go on with it.
    bool did_merge = TRY(merge_words(database, collection.id, -kPagesPerStep));
    for (int step = 0; did_merge && step < kMostSteps; ++step) {
      ++steps;
      did_merge = TRY(merge_words(database, collection.id, kPagesPerStep));
    }
  }
  return steps;
}

// Free pages, where they are enough to be worth it.
Result<std::int64_t> pages_to_free(Database& database) {
  return database.read([](Connection& connection) -> Result<std::int64_t> {
    const std::int64_t free = TRY(connection.query_integer("PRAGMA freelist_count"));
    const std::int64_t all = TRY(connection.query_integer("PRAGMA page_count"));
    return free >= kFewPages && free * kFreeShare >= all ? free : 0;
  });
}

// One transaction of SQLite's own: readers go on with what they see, writers wait. What it builds first goes to a file,
// since a palace may be larger than the memory.
Status vacuum(Database& database) {
  return database.run_alone([](Connection& connection) -> Status {
    TRY(connection.execute("PRAGMA temp_store = FILE"));
    const Status done = connection.execute("VACUUM");
    TRY(connection.execute("PRAGMA temp_store = MEMORY"));
    return done;
  });
}

struct Checkpoint {
  std::int64_t moved_pages = 0;
  bool is_emptied = false;  // false: somebody reads or writes at this moment, and the log stays as long as it is
};

Result<Checkpoint> empty_log(Database& database) {
  // A connection of its own, whose patience is short.
  const std::unique_ptr<Connection> connection =
      TRY(open_connection(database.folder() / kDatabaseName, OpenMode::read_write));
  sqlite3_busy_timeout(connection->handle(), kCheckpointPatienceMs);
  Checkpoint checkpoint;
  {
    // Moves what it can without keeping anyone waiting, so that the rest is quick.
    Statement passive = TRY(connection->prepare("PRAGMA wal_checkpoint(PASSIVE)"));
    if (TRY(passive.step())) checkpoint.moved_pages = passive.integer(2);
  }
  Statement truncate = TRY(connection->prepare("PRAGMA wal_checkpoint(TRUNCATE)"));
  checkpoint.is_emptied = TRY(truncate.step()) && truncate.integer(0) == 0;
  return checkpoint;
}

}  // namespace

Result<MaintenanceStatus> compact(Database& database, Metadata& stats) {
  const bool had_leftovers = TRY(database.write([](Connection& c) { return drop_unfinished_words(c); }));
  const std::int64_t merged = TRY(merge_all_words(database));
  const std::int64_t freed = TRY(pages_to_free(database));
  if (freed > 0) TRY(vacuum(database));
  const Checkpoint log = TRY(empty_log(database));
  stats["word_merge_steps"] = merged;
  stats["freed_pages"] = freed;
  stats["log_pages"] = log.moved_pages;
  stats["log_emptied"] = log.is_emptied;
  const bool did_something = had_leftovers || merged > 0 || freed > 0 || log.moved_pages > 0;
  return did_something ? MaintenanceStatus::ran : MaintenanceStatus::noop;
}

}  // namespace loci::embedded
