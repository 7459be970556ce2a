#include "store/embedded/verify.h"

#include <cmath>
#include <string>
#include <unordered_map>

#include <xxhash.h>

#include "base/utf8.h"
#include "store/contract.h"
#include "store/embedded/catalog.h"
#include "store/embedded/checksum.h"
#include "store/embedded/damaged_log.h"
#include "store/embedded/file_header.h"
#include "store/embedded/index_context.h"
#include "store/embedded/index_state.h"
#include "store/embedded/jsonb.h"
#include "store/embedded/missing_pages.h"
#include "store/embedded/schema.h"
#include "store/embedded/vector_blob.h"
#include "store/sqlite/cancellation.h"
#include "text/tokenizer.h"

namespace loci::embedded {
namespace {

constexpr std::size_t kShownPerCheck = 5;
constexpr std::string_view kSave = "loci repair --output NEW";
constexpr std::string_view kReindex = "loci maintenance run reindex";
constexpr std::string_view kBringBack = "loci restore BACKUP --palace NEW, if there is a backup that has them";
constexpr std::string_view kRestart = "loci embed --abandon, then the re-embedding again";
constexpr std::string_view kReopen = "any command that opens the palace for writing mends it";

// Collects findings; of each check the first few are told one by one.
class Findings {
 public:
  explicit Findings(VerifyReport& report) : report_(report) {}

  void check(std::string_view what) {
    finish();
    report_.checked.emplace_back(what);
    count_ = 0;
  }
  void add(std::string_view name, std::string detail, std::string_view fix) {
    if (++count_ <= kShownPerCheck)
      report_.findings.push_back({std::string(name), std::move(detail), std::string(fix)});
    last_ = name;
    last_fix_ = fix;
  }
  void finish() {
    if (count_ <= kShownPerCheck) return;
    report_.findings.push_back({last_, "and " + std::to_string(count_ - kShownPerCheck) + " more", last_fix_});
    count_ = 0;
  }

 private:
  VerifyReport& report_;
  std::size_t count_ = 0;
  std::string last_;
  std::string last_fix_;
};

void check_structure(Connection& connection, VerifyDepth depth, Findings& findings) {
  findings.check("the structure of the database");
  Result<Statement> pragma =
      connection.prepare(depth == VerifyDepth::deep ? "PRAGMA integrity_check(100)" : "PRAGMA quick_check(100)");
  if (!pragma.ok()) return findings.add("database", pragma.error().message, kSave);
  while (true) {
    const Result<bool> row = pragma->step();
    if (!row.ok()) return findings.add("database", row.error().message, kSave);
    if (!*row) return;
    if (pragma->text(0) != "ok") findings.add("database", std::string(pragma->text(0)), kSave);
  }
}

// Counts what must not be there. A query that cannot run is a finding too.
void check_none(Connection& connection, Findings& findings, std::string_view name, const std::string& what,
                const std::string& sql, std::string_view fix) {
  findings.check(what);
  const Result<std::int64_t> count = connection.query_integer(sql);
  if (!count.ok()) {
    findings.add(name, count.error().message, kSave);
  } else if (*count != 0) {
    findings.add(name, std::to_string(*count) + " " + what, fix);
  }
}

void check_agreement(Connection& connection, Findings& findings) {
  check_none(connection, findings, "texts", "records without a text",
             "SELECT count(*) FROM records WHERE row NOT IN (SELECT row FROM documents)", kSave);
  check_none(connection, findings, "texts", "texts without a record",
             "SELECT count(*) FROM documents WHERE row NOT IN (SELECT row FROM records)", kSave);
  check_none(connection, findings, "vectors", "vectors without a record",
             "SELECT count(*) FROM vectors WHERE row NOT IN (SELECT row FROM records)", kSave);
  check_none(connection, findings, "vectors", "records that are wrong about having a vector",
             "SELECT count(*) FROM records r WHERE (r.embedded = 1) <> EXISTS "
             "(SELECT 1 FROM vectors v WHERE v.row = r.row)",
             kSave);
  check_none(connection, findings, "vectors", "new vectors without a record that has one",
             "SELECT count(*) FROM next_vectors WHERE row NOT IN (SELECT row FROM records)", kSave);
  check_none(connection, findings, "vectors", "new vectors of collections that are not being re-embedded",
             "SELECT count(*) FROM next_vectors n JOIN records r ON r.row = n.row WHERE r.collection NOT IN (SELECT "
             "collection FROM next_models)",
             kSave);
  check_none(
      connection, findings, "keys", "unique keys that occur more than once",
      "SELECT count(*) FROM (SELECT 1 FROM records NOT INDEXED WHERE source IS NOT NULL GROUP BY source, content_hash, "
      "occurrence HAVING count(*) > 1)",
      kReopen);
  check_none(connection, findings, "sources", "notes about sources that are not there",
             "SELECT (SELECT count(*) FROM source_states WHERE source NOT IN (SELECT id FROM sources)) + "
             "(SELECT count(*) FROM erased_keys WHERE source NOT IN (SELECT id FROM sources))",
             kSave);
  check_none(
      connection, findings, "changes", "counters of changes behind their rows",
      "SELECT ifnull((SELECT value FROM palace WHERE key = 'seq'), -1) < (SELECT ifnull(max(seq), 0) FROM records)",
      kSave);
  // Every row takes a change when it is made.
  check_none(connection, findings, "changes", "counters of rows ahead of the changes",
             "SELECT ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'records'), 0) > "
             "ifnull((SELECT value FROM palace WHERE key = 'seq'), 0)",
             kSave);
  findings.check("the indexes of the records");
  const Result<bool> unprepared = needs_preparation(connection);
  if (!unprepared.ok()) findings.add("indexes", unprepared.error().message, kSave);
  if (unprepared.ok() && *unprepared)
    findings.add("indexes", "an index is missing or the word index is of an older version", kReopen);
}

void check_words_agree(Connection& connection, const CollectionRow& collection, Findings& findings) {
  const std::string words = words_table(collection.id);
  const std::string mine = "(SELECT row FROM records WHERE collection = " + std::to_string(collection.id) + ")";
  check_none(connection, findings, "words", "records of " + collection.name + " that are not in its word index",
             "SELECT count(*) FROM " + mine + " WHERE row NOT IN (SELECT id FROM " + words + "_docsize)", kReindex);
  check_none(connection, findings, "words", "entries of the word index of " + collection.name + " without a record",
             "SELECT count(*) FROM " + words + "_docsize WHERE id NOT IN " + mine, kReindex);
}

// Everything about one record that can be seen from its rows.
void check_record(const Statement& select, const CollectionRow& collection, Findings& findings) {
  const std::int64_t row = select.integer(0);
  const std::string_view id = select.text(1);
  const std::string name = "record " + in_quotes(id);
  const JsonbView own = select.blob(2);
  const JsonbView shared = select.blob(4);
  if (!is_intact(select, 3, record_checksum(row, id, select.text(6), own)) ||
      (!select.is_null(6) && !is_intact(select, 5, source_checksum(select.text(6), shared))) ||
      !decode_merged(own, shared).ok()) {
    findings.add("metadata", name + ": the metadata are damaged", kSave);
  }
  const std::string_view text = select.text(7);
  if (!is_intact(select, 8, text_checksum(row, text)) || !is_valid_utf8(text)) {
    findings.add("texts", name + ": the text is damaged", kSave);
  }
  if (select.is_null(9)) return;
  const std::span<const std::uint8_t> blob = select.blob(9);
  bool is_sound = is_intact(select, 10, blob_checksum(row, blob));
  is_sound = is_sound && collection.dimension && blob.size() == *collection.dimension * sizeof(float);
  if (is_sound) {
    for (const float value : from_blob(blob)) is_sound = is_sound && std::isfinite(value);
  }
  if (!is_sound) findings.add("vectors", name + ": the vector is damaged", kSave);
}

void check_records(Connection& connection, const CollectionRow& collection, Findings& findings) {
  findings.check("every text, vector and map of metadata of " + collection.name);
  Result<Statement> select = connection.prepare(
      "SELECT r.row, r.id, r.metadata, r.checksum, s.metadata, s.checksum, s.name, d.text, d.checksum, v.embedding, "
      "v.checksum "
      "FROM records r NOT INDEXED LEFT JOIN sources s ON s.id = r.source LEFT JOIN documents d ON d.row = r.row "
      "LEFT JOIN vectors v ON v.row = r.row WHERE r.collection = ?1 ORDER BY r.row");
  if (!select.ok()) return findings.add("records", select.error().message, kSave);
  select->bind(1, collection.id);
  while (true) {
    const Result<bool> row = select->step();
    if (!row.ok()) return findings.add("records", row.error().message, kSave);
    if (!*row) return;
    check_record(*select, collection, findings);
  }
}

// One number for all words of a document and their positions; the order in which they are added does not matter.
using WordSums = std::unordered_map<std::int64_t, std::uint64_t>;
void add_word(WordSums& sums, std::int64_t row, std::string_view word, std::int64_t position) {
  sums[row] += XXH3_64bits_withSeed(word.data(), word.size(), static_cast<std::uint64_t>(position) + 1);
}

Status sum_index(Connection& connection, const CollectionRow& collection, WordSums& sums) {
  TRY(connection.execute(
      "DROP TABLE IF EXISTS temp.verified_words; CREATE VIRTUAL TABLE temp.verified_words USING fts5vocab('main', '" +
      words_table(collection.id) + "', 'instance')"));
  Statement select = TRY(connection.prepare("SELECT doc, term, offset FROM temp.verified_words"));
  while (TRY(select.step())) add_word(sums, select.integer(0), select.text(1), select.integer(2));
  return {};
}

Status sum_texts(Connection& connection, const CollectionRow& collection, WordSums& sums) {
  Tokenizer tokenizer;
  Statement select = TRY(connection.prepare(
      "SELECT d.row, d.text FROM documents d JOIN records r ON r.row = d.row WHERE r.collection = ?1"));
  select.bind(1, collection.id);
  while (TRY(select.step())) {
    const std::int64_t row = select.integer(0);
    std::int64_t position = -1;
    tokenizer.tokenize(select.text(1), TokenizeFor::document, [&](const Token& token) {
      if (!token.colocated || position < 0) ++position;
      add_word(sums, row, token.text, position);
      return 0;
    });
  }
  return {};
}

// Vectors that a re-embedding has made and that are not in use yet.
void check_next_vectors(Connection& connection, Findings& findings) {
  findings.check("every new vector");
  Result<Statement> select = connection.prepare("SELECT row, embedding, checksum FROM next_vectors");
  if (!select.ok()) return findings.add("vectors", select.error().message, kSave);
  while (true) {
    const Result<bool> row = select->step();
    if (!row.ok()) return findings.add("vectors", row.error().message, kSave);
    if (!*row) return;
    if (!is_intact(*select, 2, blob_checksum(select->integer(0), select->blob(1))))
      findings.add("vectors", "the new vector of row " + std::to_string(select->integer(0)) + " is damaged", kRestart);
  }
}

// Does the word index say what the texts say?
void check_words(Connection& connection, const CollectionRow& collection, Findings& findings) {
  findings.check("every word of the index of " + collection.name);
  WordSums in_index;
  WordSums in_texts;
  Status summed = sum_index(connection, collection, in_index);
  if (summed.ok()) summed = sum_texts(connection, collection, in_texts);
  if (!summed.ok()) return findings.add("words", summed.error().message, kSave);
  for (const auto& [row, sum] : in_texts) {
    const auto found = in_index.find(row);
    if (found == in_index.end() || found->second != sum) {
      findings.add("words",
                   "the word index does not fit the text of row " + std::to_string(row) + " of " + collection.name,
                   kReindex);
    }
  }
  for (const auto& [row, sum] : in_index) {
    if (!in_texts.contains(row))
      findings.add("words", "the word index of " + collection.name + " names a row that is gone", kReindex);
  }
}

// Is every published segment what it was built as?
void check_index(Connection& connection, Database& database, const CollectionRow& collection, VerifyDepth depth,
                 Findings& findings) {
  findings.check("the vector index of " + collection.name);
  const Result<IndexState> state =
      index_state(connection, database.index(), collection,
                  depth == VerifyDepth::deep ? IndexCheck::every_byte : IndexCheck::headers);
  if (!state.ok()) return findings.add("vector_index", state.error().message, kReindex);
  for (const std::string& problem : state->problems) findings.add("vector_index", problem, kReindex);
}

void examine_rows(Connection& connection, Database& database, VerifyDepth depth, VerifyReport& report) {
  Findings findings(report);
  check_structure(connection, depth, findings);
  check_agreement(connection, findings);
  findings.check("the list of collections");
  if (const auto listed = list_collections(connection); !listed.ok())
    findings.add("collections", listed.error().message, kSave);
  for (const CollectionRow& collection : list_readable_collections(connection)) {
    check_words_agree(connection, collection, findings);
    check_index(connection, database, collection, depth, findings);
    if (depth == VerifyDepth::quick) continue;
    check_records(connection, collection, findings);
    check_words(connection, collection, findings);
  }
  if (depth == VerifyDepth::deep) check_next_vectors(connection, findings);
  findings.finish();
  const auto count = [&](std::string_view sql) {
    const Result<std::int64_t> rows = connection.query_integer(sql);
    return rows.ok() ? static_cast<std::size_t>(*rows) : 0;
  };
  report.records = count("SELECT count(*) FROM records");
  report.pending = count("SELECT count(*) FROM records WHERE embedded = 0");
}

// Statements that were cancelled look like damage to those who ran them, so what was found until then does not count.
Status examine_palace(Connection& connection, Database& database, VerifyDepth depth, const IsCancelled& is_cancelled,
                      VerifyReport& report) {
  const sqlite::CancellableStatements cancellable(connection, is_cancelled);
  examine_rows(connection, database, depth, report);
  return sqlite::check_wanted(is_cancelled);
}

}  // namespace

Result<VerifyReport> verify_palace(Database& database, VerifyDepth depth, const IsCancelled& is_cancelled) {
  return database.read([&](Connection& connection) -> Result<VerifyReport> {
    VerifyReport report;
    TRY(examine_palace(connection, database, depth, is_cancelled, report));
    return report;
  });
}

Result<VerifyReport> verify_damaged_palace(Database& damaged, VerifyDepth depth, const Error& why,
                                           const IsCancelled& is_cancelled) {
  return damaged.run([&](Connection& connection) -> Result<VerifyReport> {
    VerifyReport report;
    if (why.kind == ErrorKind::version_mismatch)
      report.findings.push_back({"format", "the palace has an older format", std::string(kReopen), false});
    else
      report.findings.push_back({"database", why.message, std::string(kSave)});
    TRY(examine_palace(connection, damaged, depth, is_cancelled, report));
    return report;
  });
}

Result<std::vector<Finding>> verify_files(const std::filesystem::path& folder) {
  const std::filesystem::path database = folder / kDatabaseName;
  const std::filesystem::path log = database.string() + "-wal";
  const HeaderState header = TRY(read_file_header(database));
  if (header == HeaderState::empty) {
    return Error{ErrorKind::corruption,
                 database.string() +
                     " is empty: it was cut to nothing, or a palace was not made to its end; restore a backup, or "
                     "`loci init` makes a new palace"};
  }
  std::vector<Finding> findings;
  if (const Status sound = check_header(header, database); header == HeaderState::emptied)
    findings.push_back({"database", sound.error().message, std::string(kSave)});
  if (const std::optional<LogDamage> damage = TRY(find_log_damage(log))) {
    const std::string where = damage->frame == 0 ? "at its head" : "at frame " + std::to_string(damage->frame);
    findings.push_back({"log",
                        log.string() + " is damaged " + where + ": some " + std::to_string(damage->commits) +
                            " acknowledged writes from there on are lost",
                        std::string(kBringBack)});
  }
  const bool tells_its_size =
      header == HeaderState::fine || header == HeaderState::older || header == HeaderState::emptied;
  if (!tells_its_size) return findings;
  if (const std::optional<MissingPages> pages = TRY(find_missing_pages(database))) {
    findings.push_back({"size",
                        database.string() + " is cut off: " + std::to_string(pages->missing) + " of its " +
                            std::to_string(pages->total) + " pages are missing",
                        std::string(kBringBack)});
  }
  return findings;
}

}  // namespace loci::embedded
