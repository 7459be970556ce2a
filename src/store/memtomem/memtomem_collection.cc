#include "store/memtomem/memtomem_collection.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/file.h"
#include "base/sha256.h"
#include "store/collection_defaults.h"
#include "store/contract.h"
#include "store/memtomem/memtomem_vectors.h"
#include "store/sqlite/sqlite.h"

namespace loci::memtomem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using sqlite::Connection;
using sqlite::Statement;

constexpr std::string_view kFileName = "memtomem.db";

Error read_only() {
  return {ErrorKind::unsupported,
          "databases of memtomem are only read; `loci migrate --from memtomem` makes a palace of one"};
}

Result<std::unique_ptr<Connection>> open(const DatabaseCopy& database) {
  return Connection::open(database.file(), sqlite::OpenMode::read_write);
}

// The columns of `chunks`, in the order of kColumns; older files lack some.
enum Column {
  row_number,
  id,
  content,
  source_file,
  headings,
  kind,
  line_start,
  line_end,
  language,
  tags,
  name_space,
  created_at,
  updated_at,
  access_count,
  use_count,
  last_accessed_at,
  importance,
  valid_from,
  valid_to,
  scope,
  project_root
};
constexpr std::string_view kColumns[] = {"rowid",
                                         "id",
                                         "content",
                                         "source_file",
                                         "heading_hierarchy",
                                         "chunk_type",
                                         "start_line",
                                         "end_line",
                                         "language",
                                         "tags",
                                         "namespace",
                                         "created_at",
                                         "updated_at",
                                         "access_count",
                                         "use_count",
                                         "last_accessed_at",
                                         "importance_score",
                                         "valid_from_unix",
                                         "valid_to_unix",
                                         "scope",
                                         "project_root"};

Result<std::set<std::string>> columns_of(Connection& connection) {
  std::set<std::string> names{"rowid"};
  Statement select = TRY(connection.prepare("SELECT name FROM pragma_table_info('chunks')"));
  while (TRY(select.step())) names.emplace(select.text(0));
  return names;
}

Result<bool> has_table(Connection& connection, std::string_view name) {
  Statement select = TRY(connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1"));
  return select.bind(1, name).step();
}

std::vector<std::string> texts_from(std::string_view json) {
  const Json list = Json::parse(json, nullptr, false);
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& each : list) {
    if (each.is_string()) texts.push_back(each.get<std::string>());
  }
  return texts;
}

void add_text(Metadata& metadata, std::string_view key, const Statement& row, Column column) {
  if (!row.is_null(column) && !row.text(column).empty()) metadata.emplace(key, std::string(row.text(column)));
}

void add_integer(Metadata& metadata, std::string_view key, const Statement& row, Column column) {
  if (!row.is_null(column)) metadata.emplace(key, row.integer(column));
}

std::int64_t time_at(const Statement& row, Column column) { return from_iso8601(row.text(column)).value_or(0); }

// Rows that old races doubled: which one of a group is kept, and which others it stands for.
struct Doubles {
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> others;  // by the row that is kept
  std::unordered_set<std::int64_t> folded;
  std::unordered_map<std::string, std::string> kept_id;  // by the id of a row that was folded
};

Result<Doubles> find_doubles(Connection& connection, const std::set<std::string>& columns) {
  Doubles doubles;
  for (const char* needed : {"namespace", "source_file", "content_hash", "start_line"}) {
    if (!columns.contains(needed)) return doubles;
  }
  Statement select = TRY(connection.prepare(
      "SELECT row, id, kept, kept_id FROM (SELECT rowid AS row, id, min(rowid) OVER same AS kept, "
      "first_value(id) OVER same AS kept_id FROM chunks WINDOW same AS (PARTITION BY namespace, source_file, "
      "content_hash, start_line ORDER BY rowid RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)) "
      "WHERE row <> kept ORDER BY row"));
  while (TRY(select.step())) {
    doubles.others[select.integer(2)].push_back(select.integer(0));
    doubles.folded.insert(select.integer(0));
    doubles.kept_id.emplace(std::string(select.text(1)), std::string(select.text(3)));
  }
  return doubles;
}

// Reads chunk after chunk. For one thread.
class ChunkReader {
 public:
  static Result<ChunkReader> start(Connection& connection) {
    ChunkReader reader(connection, TRY(VectorBlocks::open(connection)));
    const std::set<std::string> columns = TRY(columns_of(connection));
    reader.sql_ = "SELECT ";
    for (const std::string_view column : kColumns) {
      if (column != kColumns[0]) reader.sql_ += ", ";
      reader.sql_ += columns.contains(std::string(column)) ? std::string(column) : "NULL";
    }
    reader.sql_ += " FROM chunks";
    reader.doubles_ = TRY(find_doubles(connection, columns));
    for (const auto& [table, type] : {std::pair{"chunk_relations", "relation_type"}, {"chunk_links", "link_type"}}) {
      if (!TRY(has_table(connection, table))) continue;
      reader.link_sql_.push_back(std::string("SELECT ") + type + ", target_id FROM " + table + " WHERE source_id = ?1");
    }
    return reader;
  }

  Status scan(const Include& include, const std::function<Status(Record)>& visit) {
    Statement select = TRY(connection_->prepare(sql_ + " ORDER BY rowid"));
    while (TRY(select.step())) {
      const std::int64_t row = select.integer(Column::row_number);
      if (doubles_.folded.contains(row)) continue;
      Record record = TRY(read(select, include));
      if (const auto others = doubles_.others.find(row); others != doubles_.others.end()) {
        for (const std::int64_t other : others->second) TRY(fold(record, other, include));
      }
      sort_links(record);
      if (!include.details) record.details.reset();
      TRY(visit(std::move(record)));
    }
    return ok_status();
  }

  std::size_t folded() const { return doubles_.folded.size(); }

 private:
  ChunkReader(Connection& connection, VectorBlocks vectors) : connection_(&connection), vectors_(std::move(vectors)) {}

  Result<Record> read(const Statement& row, const Include& include) {
    Record record{.id = std::string(row.text(Column::id)), .document = std::string(row.text(Column::content))};
    record.metadata = metadata_of(row);
    RecordDetails& details = record.details.emplace();
    details.use_count = std::max(row.integer(Column::access_count), row.integer(Column::use_count));
    details.created_at = std::max<std::int64_t>(time_at(row, Column::created_at), 1);
    details.updated_at = std::max(time_at(row, Column::updated_at), details.created_at);
    TRY(add_links(record.id, details));
    add_key(row, record);
    if (include.embeddings) record.embedding = TRY(vectors_.vector_of(row.integer(Column::row_number)));
    return record;
  }

  static Metadata metadata_of(const Statement& row) {
    Metadata metadata;
    add_text(metadata, "source_file", row, Column::source_file);
    add_text(metadata, "namespace", row, Column::name_space);
    add_text(metadata, "wing", row, Column::name_space);
    add_text(metadata, "kind", row, Column::kind);
    add_text(metadata, "language", row, Column::language);
    add_text(metadata, "scope", row, Column::scope);
    add_text(metadata, "project_root", row, Column::project_root);
    add_text(metadata, "last_accessed_at", row, Column::last_accessed_at);
    add_integer(metadata, "line_start", row, Column::line_start);
    add_integer(metadata, "line_end", row, Column::line_end);
    add_integer(metadata, "valid_from", row, Column::valid_from);
    add_integer(metadata, "valid_to", row, Column::valid_to);
    if (!row.is_null(Column::importance)) metadata.emplace("importance", row.real(Column::importance));
    std::vector<std::string> tags = texts_from(row.text(Column::tags));
    if (!tags.empty()) metadata.emplace("tags", std::move(tags));
    std::string heading;
    for (const std::string& each : texts_from(row.text(Column::headings)))
      heading += (heading.empty() ? "" : " > ") + each;
    if (!heading.empty()) metadata.emplace("heading", std::move(heading));
    return metadata;
  }

  Status add_links(const std::string& from, RecordDetails& details) {
    for (const std::string& sql : link_sql_) {
      Statement select = TRY(connection_->prepare(sql));
      select.bind(1, from);
      while (TRY(select.step())) {
        const std::string target(select.text(1));
        const auto kept = doubles_.kept_id.find(target);
        details.links.push_back({std::string(select.text(0)), kept == doubles_.kept_id.end() ? target : kept->second});
      }
    }
    return ok_status();
  }

  // The same text of the same file counts up, whichever namespace it is in.
  void add_key(const Statement& row, Record& record) {
    if (row.is_null(Column::source_file) || row.text(Column::source_file).empty()) return;
    std::string hash = to_hex(sha256(record.document));
    const std::int64_t occurrence = seen_[to_hex(sha256(std::string(row.text(Column::source_file)) + '\n' + hash))]++;
    record.details->key = UniqueKey{.source = std::string(row.text(Column::source_file)),
                                    .content_hash = std::move(hash),
                                    .occurrence = occurrence};
  }

  Status fold(Record& record, std::int64_t other, const Include& include) {
    Statement select = TRY(connection_->prepare(sql_ + " WHERE rowid = ?1"));
    if (!TRY(select.bind(1, other).step())) return ok_status();
    record.details->use_count += std::max(select.integer(Column::access_count), select.integer(Column::use_count));
    TRY(add_links(std::string(select.text(Column::id)), *record.details));
    if (std::vector<std::string> tags = texts_from(select.text(Column::tags)); !tags.empty()) {
      auto& all = std::get<std::vector<std::string>>(
          record.metadata.try_emplace("tags", std::vector<std::string>{}).first->second);
      for (std::string& tag : tags) {
        if (std::find(all.begin(), all.end(), tag) == all.end()) all.push_back(std::move(tag));
      }
    }
    if (include.embeddings && !record.embedding) record.embedding = TRY(vectors_.vector_of(other));
    return ok_status();
  }

  static void sort_links(Record& record) {
    std::vector<Link>& links = record.details->links;
    std::erase_if(links, [&](const Link& link) { return link.target_id.empty() || link.target_id == record.id; });
    std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) {
      return std::tie(a.kind, a.target_id) < std::tie(b.kind, b.target_id);
    });
    links.erase(std::unique(links.begin(), links.end()), links.end());
  }

  Connection* connection_;
  VectorBlocks vectors_;
  std::string sql_;
  std::vector<std::string> link_sql_;
  Doubles doubles_;
  std::unordered_map<std::string, std::int64_t> seen_;
};

// The name of the model, by whatever name the file keeps it under.
Result<std::string> model_of(Connection& connection) {
  std::string model;
  if (!TRY(has_table(connection, "_memtomem_meta"))) return model;
  Statement select =
      TRY(connection.prepare("SELECT value FROM _memtomem_meta WHERE key LIKE '%model%' AND value <> '' ORDER BY key = "
                             "'embedding_model' DESC"));
  if (TRY(select.step())) model = select.text(0);
  return model;
}

}  // namespace

Result<std::shared_ptr<const DatabaseCopy>> DatabaseCopy::make(const fs::path& place) {
  std::error_code error;
  const fs::path file = fs::is_directory(place, error) ? place / kFileName : place;
  if (!fs::is_regular_file(file, error)) {
    return Error{ErrorKind::palace_not_found, "there is no database of memtomem at " + place.string()};
  }
  TemporaryFolder folder;
  const fs::path copy = folder.path() / kFileName;
  for (const std::string_view suffix : {"", "-wal"}) {
    const fs::path from = file.string() + std::string(suffix);
    if (!suffix.empty() && !fs::exists(from, error)) continue;
    fs::copy_file(from, copy.string() + std::string(suffix), error);
    if (error) return io_error("cannot read", from, error.value());
  }
  std::shared_ptr<const DatabaseCopy> database(new DatabaseCopy(std::move(folder), copy));
  const std::unique_ptr<Connection> connection = TRY(open(*database));
  const Result<bool> has_chunks = has_table(*connection, "chunks");
  if (!has_chunks.ok() || !*has_chunks) {
    return Error{ErrorKind::corruption, file.string() + " is no database of memtomem: it has no table of chunks"};
  }
  return database;
}

Result<CollectionInfo> MemtomemCollection::info() const {
  const std::unique_ptr<Connection> connection = TRY(open(*database_));
  const VectorBlocks vectors = TRY(VectorBlocks::open(*connection));
  CollectionInfo info{.name = std::string(kCollectionName), .metric = DistanceMetric::l2};
  info.dimension = vectors.dimension();
  if (info.dimension) info.model = TRY(model_of(*connection));
  return info;
}

Result<std::vector<Written>> MemtomemCollection::add(std::span<const Record>) { return read_only(); }
Result<std::vector<Written>> MemtomemCollection::upsert(std::span<const Record>) { return read_only(); }
Result<UpdateReport> MemtomemCollection::update(std::span<const RecordUpdate>) { return read_only(); }
Result<std::size_t> MemtomemCollection::erase(const Selection&) { return read_only(); }

Result<std::vector<Record>> MemtomemCollection::get(const GetRequest& request) const {
  std::vector<Record> records;
  TRY(scan(request, [&](Record record) -> Status {
    records.push_back(std::move(record));
    return ok_status();
  }));
  return records;
}

Status MemtomemCollection::scan(const GetRequest& request, const std::function<Status(Record)>& visit) const {
  TRY(check_get(request));
  const std::unique_ptr<Connection> connection = TRY(open(*database_));
  const Selection& selection = request.selection;
  std::unordered_set<std::string> ids;
  if (selection.ids) ids.insert(selection.ids->begin(), selection.ids->end());
  std::size_t skip = request.offset;
  std::size_t left = request.limit.value_or(SIZE_MAX);
  ChunkReader reader = TRY(ChunkReader::start(*connection));
  return reader.scan(request.include, [&](Record record) -> Status {
    if (selection.ids && !ids.contains(record.id)) return ok_status();
    if (!matches(selection.where, record.metadata) || !matches(selection.where_document, record.document)) {
      return ok_status();
    }
    if (skip > 0) return --skip, ok_status();
    if (left == 0) return ok_status();
    --left;
    if (!request.include.documents) record.document.clear();
    if (!request.include.metadatas) record.metadata.clear();
    return visit(std::move(record));
  });
}

Result<QueryResult> MemtomemCollection::query(const QueryRequest&) const { return read_only(); }
Result<std::vector<WordHit>> MemtomemCollection::match(const MatchRequest&) const { return read_only(); }

Result<std::size_t> MemtomemCollection::count() const {
  const std::unique_ptr<Connection> connection = TRY(open(*database_));
  const ChunkReader reader = TRY(ChunkReader::start(*connection));
  const std::int64_t rows = TRY(connection->query_integer("SELECT count(*) FROM chunks"));
  return static_cast<std::size_t>(rows) - reader.folded();
}

Result<std::vector<GroupCount>> MemtomemCollection::count_by(std::span<const std::string> keys) const {
  return count_by_scan(*this, keys);
}

Result<std::vector<Change>> MemtomemCollection::changes_since(std::int64_t, std::size_t) const { return read_only(); }

Health MemtomemCollection::health() const {
  const Result<std::size_t> records = count();
  if (!records.ok()) return {.healthy = false, .detail = records.error().message};
  return {.healthy = true, .detail = std::to_string(*records) + " chunks"};
}

}  // namespace loci::memtomem
