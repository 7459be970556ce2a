#include "store/chroma/database_rebuild.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "store/chroma/database_copy.h"
#include "store/chroma/readable_rows.h"
#include "store/sqlite/cancellation.h"

namespace loci::chroma {
namespace {

constexpr std::string_view kWords = "embedding_fulltext_search";
constexpr std::string_view kTexts = "embedding_fulltext_search_content";

std::string name_in_sql(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

// For one database.
class Rebuild {
 public:
  Result<RebuiltDatabase> run(const std::filesystem::path& damaged, const std::filesystem::path& file,
                              const IsCancelled& is_cancelled) {
    // A connection of its own: one that met a bad page does not write any more.
    damaged_ = TRY(Connection::open(damaged, sqlite::OpenMode::read_only));
    TRY(damaged_->execute(kReadSettings));
    made_.connection = TRY(Connection::open(file, sqlite::OpenMode::read_write_create));
    TRY(made().execute(kReadSettings));
    const sqlite::CancellableStatements reading(*damaged_, is_cancelled);
    const sqlite::CancellableStatements writing(made(), is_cancelled);
    sqlite::Transaction transaction = TRY(sqlite::Transaction::begin(made(), sqlite::Transaction::Kind::write));
    TRY(read_schema());
    for (const auto& [name, sql] : tables_) TRY(copy_table(name, sql));
    TRY(put_together());
    for (const std::string& sql : indexes_) TRY(run_sql(sql));
    TRY(fill_words());
    TRY(transaction.commit());
    return std::move(made_);
  }

 private:
  Connection& made() { return *made_.connection; }
  Status run_sql(std::string_view sql) {
    Statement statement = TRY(made().prepare(sql));
    return statement.run();
  }
  bool is_cut(std::string_view table) const { return cut_.contains(table); }

  Status read_schema();
  Status copy_table(const std::string& name, const std::string& sql);
  Status put_together();
  Status number_records();
  Status bring_back_texts();
  Status forget_what_was_found();
  Status fill_words();

  std::vector<std::pair<std::string, std::string>> tables_;  // name and how it is made
  std::vector<std::pair<std::string, std::string>> virtual_tables_;
  std::vector<std::string> indexes_;        // how they are made
  std::set<std::string, std::less<>> cut_;  // tables with rows that cannot be read
  std::unique_ptr<Connection> damaged_;
  RebuiltDatabase made_;
};

Status Rebuild::read_schema() {
  Statement select =
      TRY(damaged_->prepare("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"));
  while (TRY(select.step())) {
    const std::string_view type = select.text(0);
    const std::string name(select.text(1));
    const std::string sql(select.text(2));
    if (type == "index") indexes_.push_back(sql);
    if (type == "view" || type == "trigger")
      return Error{ErrorKind::corruption, "this is no database of Chroma's: it has views or triggers"};
    if (type != "table" || name.starts_with("sqlite_")) continue;
    (sql.starts_with("CREATE VIRTUAL") ? virtual_tables_ : tables_).emplace_back(name, sql);
  }
  // The tables of a virtual table come with it.
  std::erase_if(tables_, [&](const auto& table) {
    return std::any_of(virtual_tables_.begin(), virtual_tables_.end(),
                       [&](const auto& owner) { return table.first.starts_with(owner.first + "_"); });
  });
  if (tables_.empty()) return Error{ErrorKind::corruption, "nothing tells where the tables of the database are"};
  return {};
}

Status Rebuild::copy_table(const std::string& name, const std::string& sql) {
  TRY(run_sql(sql));
  std::string columns = "rowid";
  std::string places = "?1";
  int count = 1;
  Statement info = TRY(damaged_->prepare("PRAGMA table_info(" + name_in_sql(name) + ")"));
  while (TRY(info.step())) {
    columns += ", " + name_in_sql(info.text(1));
    places += ", ?" + std::to_string(++count);
  }
  Statement read =
      TRY(damaged_->prepare("SELECT " + columns + " FROM " + name_in_sql(name) + " NOT INDEXED WHERE rowid = ?1"));
  Statement write =
      TRY(made().prepare("INSERT OR IGNORE INTO " + name_in_sql(name) + "(" + columns + ") VALUES (" + places + ")"));
  bool is_whole = true;
  const auto copy_row = [&](std::int64_t row) -> Status {
    read.reset();
    const Result<bool> there = read.bind(1, row).step();
    if (!there.ok() && there.error().kind != ErrorKind::corruption) return there.error();
    is_whole = is_whole && there.ok() && *there;
    if (there.ok() && *there) {
      for (int i = 0; i < count; ++i) write.bind_column(i + 1, read, i);
      TRY(write.run());
    }
    return {};
  };
  if (!TRY(visit_readable_rows(*damaged_, name_in_sql(name), copy_row)) || !is_whole) cut_.insert(name);
  return {};
}

// Gives tables with rows that cannot be read as many of them as can be had from elsewhere.
Status Rebuild::put_together() {
  for (const std::string& table : cut_) {
    bool is_whole = false;
    if (table == "embeddings") {
      is_whole = TRY(put_records_together(*damaged_, made()));
      TRY(number_records());
    } else if (table == "embedding_metadata" || table == "embedding_metadata_array") {
      is_whole = TRY(put_values_together(*damaged_, made(), table, made_.lost_values));
    } else if (table == "migrations") {
      TRY(put_migrations_together(*damaged_, made()));
      made_.losses.emplace_back(
          "the texts of Chroma's own migrations are lost, without which Chroma does not open the "
          "folder; loci migrate --from chroma reads it");
      continue;
    }
    if (is_whole) continue;
    made_.losses.push_back("rows of " + table + " are on pages that cannot be read, and lost" +
                           (table == "embeddings_queue"
                                ? "; with them writes that Chroma had not taken into its tables yet, if any"
                                : ""));
  }
  if (is_cut("embedding_metadata")) TRY(bring_back_texts());
  return forget_what_was_found();
}

// The last write of a record is in the queue, or before what the index knows. Where the queue lost rows it may have
// been one of those, and a vector is believed only if the index has seen all that the tables have.
Status Rebuild::number_records() {
  if (is_cut("embeddings_queue")) {
    return made().execute(
        "UPDATE embeddings SET seq_id = coalesce((SELECT seq_id FROM max_seq_id m "
        "WHERE m.segment_id = embeddings.segment_id), 0) WHERE seq_id = 0");
  }
  return made().execute(
      "UPDATE embeddings SET seq_id = coalesce((SELECT max(q.seq_id) FROM embeddings_queue q "
      "JOIN segments s ON s.id = embeddings.segment_id WHERE q.id = embeddings.embedding_id "
      "AND substr(q.topic, -36) = s.collection), 0) WHERE seq_id = 0");
}

// The words are kept with the texts that they are of, by the rows of records. In databases that came from releases
// before 0.4.6 those of old texts are other rows: one that contradicts, and none is believed.
Status Rebuild::bring_back_texts() {
  Result<Statement> read = damaged_->prepare("SELECT c0 FROM " + std::string(kTexts) + " WHERE id = ?1");
  if (!read.ok()) return {};  // older than that
  Statement known = TRY(
      made().prepare("SELECT string_value IS ?2 FROM embedding_metadata WHERE id = ?1 AND key = 'chroma:document'"));
  TRY(made().execute("CREATE TEMP TABLE texts(row INTEGER PRIMARY KEY, text)"));
  Statement keep = TRY(made().prepare("INSERT INTO temp.texts VALUES (?1, ?2)"));
  bool is_believed = true;
  const auto look = [&](std::int64_t row) -> Status {
    read->reset();
    known.reset();
    const Result<bool> there = read->bind(1, row).step();
    if (!there.ok() && there.error().kind != ErrorKind::corruption) return there.error();
    if (!there.ok() || !*there || read->is_null(0)) return {};
    if (!TRY(known.bind(1, row).bind_column(2, *read, 0).step())) {
      TRY(keep.bind(1, row).bind_column(2, *read, 0).run());
    } else if (known.integer(0) == 0) {
      is_believed = false;
    }
    return {};
  };
  TRY(visit_readable_rows(*damaged_, std::string(kTexts), look));
  if (!is_believed) return {};
  return made().execute(
      "INSERT OR IGNORE INTO embedding_metadata(id, key, string_value) SELECT row, 'chroma:document', text "
      "FROM temp.texts WHERE row IN (SELECT id FROM embeddings)");
}

// What only the index did not have is not lost.
Status Rebuild::forget_what_was_found() {
  Statement has_text = TRY(made().prepare(
      "SELECT 1 FROM embedding_metadata WHERE id = ?1 AND key = 'chroma:document' AND string_value IS NOT NULL"));
  for (auto& [row, keys] : made_.lost_values) {
    const bool is_there = TRY(has_text.bind(1, row).step());
    has_text.reset();
    if (is_there) std::erase(keys, kDocumentKey);
  }
  std::erase_if(made_.lost_values, [](const auto& each) { return each.second.empty(); });
  return {};
}

Status Rebuild::fill_words() {
  for (const auto& [name, sql] : virtual_tables_) {
    TRY(run_sql(sql));
    if (name != kWords) continue;
    TRY(
        made().execute("INSERT INTO embedding_fulltext_search(rowid, string_value) SELECT id, string_value "
                       "FROM embedding_metadata WHERE key = 'chroma:document' AND string_value IS NOT NULL"));
  }
  return {};
}

}  // namespace

Result<RebuiltDatabase> rebuild_database(const std::filesystem::path& damaged, const std::filesystem::path& file,
                                         const IsCancelled& is_cancelled) {
  return Rebuild().run(damaged, file, is_cancelled);
}

}  // namespace loci::chroma
