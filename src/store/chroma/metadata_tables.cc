#include "store/chroma/metadata_tables.h"

#include <variant>

#include "store/chroma/queue.h"

namespace loci::chroma {
namespace {

template <typename T>
constexpr bool kIsScalar = std::is_same_v<T, std::string> || std::is_same_v<T, std::int64_t> ||
                           std::is_same_v<T, double> || std::is_same_v<T, bool>;

// The first column of string, integer, real and boolean that is not null.
std::optional<MetadataValue> value_at(const Statement& row, int first, bool has_booleans) {
  if (!row.is_null(first)) return clean_text(row.text(first));
  if (!row.is_null(first + 1)) return row.integer(first + 1);
  if (!row.is_null(first + 2)) return row.real(first + 2);
  if (has_booleans && !row.is_null(first + 3)) return row.integer(first + 3) != 0;
  return {};
}

// Adds an element to a list; one of another type is left out.
void append_element(Metadata& metadata, const std::string& key, const MetadataValue& element) {
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (kIsScalar<T>) {
          auto [found, is_new] = metadata.try_emplace(key, std::vector<T>());
          if (auto* list = std::get_if<std::vector<T>>(&found->second)) list->push_back(value);
        }
      },
      element);
}

bool is_list(const MetadataValue& value) {
  return std::visit([](const auto& each) { return !kIsScalar<std::decay_t<decltype(each)>>; }, value);
}

// What a row each is made of: the value itself, or the elements of a list.
std::vector<MetadataValue> elements_of(const MetadataValue& value) {
  std::vector<MetadataValue> elements;
  std::visit(
      [&](const auto& each) {
        using T = std::decay_t<decltype(each)>;
        if constexpr (kIsScalar<T>) {
          elements.emplace_back(each);
        } else {
          for (const auto& element : each) elements.emplace_back(static_cast<typename T::value_type>(element));
        }
      },
      value);
  return elements;
}

Result<std::int64_t> lag_begin(const CollectionRow& collection) {
  if (!collection.metadata_frontier) return 0;
  if (collection.metadata_frontier->is_lost) return INT64_MAX;
  return collection.metadata_frontier->seq;
}

}  // namespace

Result<std::optional<std::int64_t>> find_row(Connection& connection, const CollectionRow& collection,
                                             std::string_view id) {
  Statement select = TRY(connection.prepare("SELECT id FROM embeddings WHERE segment_id = ?1 AND embedding_id = ?2"));
  if (!TRY(select.bind(1, collection.metadata_segment).bind(2, id).step())) return std::optional<std::int64_t>();
  return std::optional(select.integer(0));
}

Status read_row(Connection& connection, const SchemaVersions& versions, std::int64_t row, Record& record) {
  const bool has_booleans = versions.metadata >= 2;
  Statement scalars = TRY(connection.prepare(
      has_booleans
          ? "SELECT key, string_value, int_value, float_value, bool_value FROM embedding_metadata WHERE id = ?1"
          : "SELECT key, string_value, int_value, float_value, NULL FROM embedding_metadata WHERE id = ?1"));
  scalars.bind(1, row);
  while (TRY(scalars.step())) {
    if (scalars.text(0) == kDocumentKey) {
      record.document = clean_text(scalars.text(1));
    } else if (std::optional<MetadataValue> value = value_at(scalars, 1, has_booleans)) {
      record.metadata.insert_or_assign(clean_text(scalars.text(0)), *std::move(value));
    }
  }
  if (!versions.has_lists()) return {};
  Statement lists = TRY(connection.prepare(
      "SELECT key, string_value, int_value, float_value, bool_value FROM embedding_metadata_array WHERE id = ?1 "
      "ORDER BY rowid"));
  lists.bind(1, row);
  while (TRY(lists.step())) {
    if (const std::optional<MetadataValue> value = value_at(lists, 1, true))
      append_element(record.metadata, clean_text(lists.text(0)), *value);
  }
  return {};
}

Result<MetadataTables> MetadataTables::open(Connection& connection, const SchemaVersions& versions,
                                            const CollectionRow& collection) {
  if (versions.metadata < 3 || collection.metadata_segment.empty()) {
    return Error{ErrorKind::version_mismatch,
                 "this Chroma folder is of a release before 0.4.6 and can only be read; `loci migrate` brings it over"};
  }
  return MetadataTables(connection, versions, collection);
}

Result<std::int64_t> MetadataTables::insert(std::string_view id, std::int64_t seq) {
  Statement insert =
      TRY(connection_->prepare("INSERT INTO embeddings(segment_id, embedding_id, seq_id) VALUES (?1, ?2, ?3)"));
  insert.bind(1, collection_->metadata_segment).bind(2, id);
  TRY(run_with_seq_id(insert, 3, seq, versions_));
  return connection_->query_integer("SELECT last_insert_rowid()");
}

Status MetadataTables::remove_value(std::int64_t row, std::string_view key) {
  Statement scalar = TRY(connection_->prepare("DELETE FROM embedding_metadata WHERE id = ?1 AND key = ?2"));
  TRY(scalar.bind(1, row).bind(2, key).run());
  if (versions_.has_lists()) {
    Statement list = TRY(connection_->prepare("DELETE FROM embedding_metadata_array WHERE id = ?1 AND key = ?2"));
    TRY(list.bind(1, row).bind(2, key).run());
  }
  if (key != kDocumentKey) return {};
  Statement text = TRY(connection_->prepare("DELETE FROM embedding_fulltext_search WHERE rowid = ?1"));
  return text.bind(1, row).run();
}

Status MetadataTables::insert_value(std::int64_t row, std::string_view key, const MetadataValue& value) {
  // Lists in the queue of a database that has no room for them are not Chroma's.
  if (is_list(value) && !versions_.has_lists()) return {};
  const std::string_view columns =
      "(id, key, string_value, int_value, float_value, bool_value) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
  const std::string table = is_list(value) ? "embedding_metadata_array" : "embedding_metadata";
  Statement insert = TRY(connection_->prepare("INSERT INTO " + table + std::string(columns)));
  for (const MetadataValue& element : elements_of(value)) {
    insert.bind(1, row).bind(2, key);
    for (int column = 3; column <= 6; ++column) insert.bind_null(column);
    if (const auto* text = std::get_if<std::string>(&element)) {
      insert.bind(3, *text);
    } else if (const auto* integer = std::get_if<std::int64_t>(&element)) {
      insert.bind(4, *integer);
    } else if (const auto* real = std::get_if<double>(&element)) {
      insert.bind(5, *real);
    } else if (const auto* boolean = std::get_if<bool>(&element)) {
      insert.bind(6, std::int64_t{*boolean ? 1 : 0});
    }
    TRY(insert.run());
  }
  if (key != kDocumentKey) return {};
  Statement text =
      TRY(connection_->prepare("INSERT INTO embedding_fulltext_search(rowid, string_value) VALUES (?1, ?2)"));
  return text.bind(1, row).bind(2, std::get<std::string>(value)).run();
}

Status MetadataTables::change(std::int64_t row, std::int64_t seq, const MetadataChanges& changes) {
  Statement touch = TRY(connection_->prepare("UPDATE embeddings SET seq_id = ?2 WHERE id = ?1"));
  touch.bind(1, row);
  TRY(run_with_seq_id(touch, 2, seq, versions_));
  for (const auto& [key, value] : changes) {
    TRY(remove_value(row, key));
    const bool is_text = value && std::holds_alternative<std::string>(*value);
    if (value && (key != kDocumentKey || is_text)) TRY(insert_value(row, key, *value));
  }
  return {};
}

Status MetadataTables::erase(std::int64_t row) {
  std::vector<std::string_view> statements = {"DELETE FROM embedding_metadata WHERE id = ?1",
                                              "DELETE FROM embedding_fulltext_search WHERE rowid = ?1",
                                              "DELETE FROM embeddings WHERE id = ?1"};
  if (versions_.has_lists()) statements.push_back("DELETE FROM embedding_metadata_array WHERE id = ?1");
  for (const std::string_view sql : statements) {
    Statement remove = TRY(connection_->prepare(sql));
    TRY(remove.bind(1, row).run());
  }
  return {};
}

Status MetadataTables::set_frontier(std::int64_t seq) {
  return chroma::set_frontier(*connection_, versions_, collection_->metadata_segment, seq);
}

Result<bool> metadata_tables_lag(Connection& connection, const SchemaVersions& versions) {
  if (versions.metadata < 3) return false;
  for (const CollectionRow& collection : TRY(list_collections(connection, versions))) {
    Statement select = TRY(connection.prepare(
        "SELECT 1 FROM embeddings_queue WHERE seq_id > ?1 AND (topic = ?2 OR substr(topic, -37) = ?3) LIMIT 1"));
    const std::string suffix = "/" + collection.id;
    const std::int64_t begin = TRY(lag_begin(collection));
    if (TRY(select.bind(1, begin).bind(2, collection.topic).bind(3, suffix).step())) return true;
  }
  return false;
}

Status catch_up_metadata_tables(Connection& connection, const SchemaVersions& versions) {
  if (versions.metadata < 3) return {};
  for (const CollectionRow& collection : TRY(list_collections(connection, versions))) {
    std::int64_t last = TRY(lag_begin(collection));
    const std::int64_t begin = last;
    if (collection.metadata_segment.empty()) continue;
    MetadataTables tables = TRY(MetadataTables::open(connection, versions, collection));
    std::vector<std::pair<std::int64_t, QueueOperation>> rows;
    TRY(visit_queue(connection, collection, begin, [&](const QueueRow& row) -> Status {
      if (row.operation) rows.emplace_back(row.seq, *row.operation);
      return {};
    }));
    for (const auto& [seq, operation] : rows) {
      Statement select = TRY(connection.prepare("SELECT id, metadata FROM embeddings_queue WHERE seq_id = ?1"));
      if (!TRY(select.bind(1, seq).step())) continue;
      const std::string id(select.text(0));
      const MetadataChanges changes = parse_metadata_changes(select.text(1)).value_or(MetadataChanges());
      std::optional<std::int64_t> found = TRY(find_row(connection, collection, id));
      last = seq;
      if (operation == QueueOperation::erase) {
        if (found) TRY(tables.erase(*found));
        continue;
      }
      if (found ? operation == QueueOperation::add : operation == QueueOperation::update) continue;
      if (!found) found = TRY(tables.insert(id, seq));
      TRY(tables.change(*found, seq, changes));
    }
    if (last != begin) TRY(tables.set_frontier(last));
  }
  return {};
}

}  // namespace loci::chroma
