#include "store/embedded/embedded_collection.h"

#include <algorithm>

#include "store/collection_defaults.h"
#include "store/contract.h"
#include "store/embedded/index_builder.h"
#include "store/embedded/index_state.h"
#include "store/embedded/row_reader.h"
#include "store/embedded/row_scope.h"
#include "store/embedded/row_search.h"
#include "store/embedded/row_writer.h"
#include "store/embedded/source_writer.h"
#include "store/embedded/word_search.h"
#include "store/embedded/words_ahead.h"
#include "store/identity.h"

namespace loci::embedded {
namespace {

// Lets a transaction that writes many rows keep the pages that it changes in memory: one that is written out early is
// read and written once more. It only saves work, so a failure is none.
class WideCache {
 public:
  explicit WideCache(Connection& connection) : connection_(connection) { run("PRAGMA cache_size = -24000"); }
  WideCache(const WideCache&) = delete;
  WideCache& operator=(const WideCache&) = delete;
  ~WideCache() { run(kCacheSize); }

 private:
  // Not Connection::execute: that allocates, and a destructor must not throw when there is no memory.
  void run(const char* sql) noexcept { sqlite3_exec(connection_.handle(), sql, nullptr, nullptr, nullptr); }

  Connection& connection_;
};

// Is this the text that is stored under the id, together with its vector? Then there is nothing to embed.
Result<bool> is_embedded_already(Connection& connection, std::int64_t collection, const std::string& id,
                                 std::string_view document) {
  Statement select =
      TRY(connection.prepare("SELECT d.text FROM records r JOIN documents d ON d.row = r.row "
                             "WHERE r.collection = ?1 AND r.id = ?2 AND r.embedded = 1"));
  if (!TRY(select.bind(1, collection).bind(2, id).step())) return false;
  return select.text(0) == document;
}

// Gives vectors to the items of these numbers. Happens before the transaction: no lock is held while a model computes.
template <typename Item>
Result<std::vector<Item>> with_vectors(const Embedder& embedder, std::span<const Item> items,
                                       const std::vector<TextToEmbed>& texts) {
  std::vector<Item> complete(items.begin(), items.end());
  std::vector<std::string> documents;
  for (const TextToEmbed& text : texts) documents.emplace_back(text.document);
  std::vector<Embedding> vectors = TRY(embed_texts(embedder, documents));
  for (std::size_t i = 0; i < texts.size(); ++i) complete[texts[i].item].embedding = std::move(vectors[i]);
  return complete;
}

// The rows that a selection's ids name; nothing when it names no ids.
Result<std::optional<std::vector<std::int64_t>>> selected_rows(Connection& connection, std::int64_t collection,
                                                               const Selection& selection) {
  if (!selection.ids) return std::optional<std::vector<std::int64_t>>();
  return std::optional(TRY(find_rows(connection, collection, *selection.ids)));
}

}  // namespace

Result<CollectionInfo> EmbeddedCollection::info() const {
  return read([this](Connection& connection, const CollectionRow& row) -> Result<CollectionInfo> {
    const std::size_t pending = TRY(count_pending(connection, row.id));
    const std::size_t missing = TRY(count_missing(connection, row.id));
    const std::shared_ptr<Database> database = TRY(access_.database());
    return CollectionInfo{
        row.name, row.metric, row.dimension, row.model, pending, missing, database->index().segments.problem(row.id)};
  });
}

Result<std::vector<Written>> EmbeddedCollection::add(std::span<const Record> records) {
  return write_records(records, false);
}

Result<std::vector<Written>> EmbeddedCollection::upsert(std::span<const Record> records) {
  return write_records(records, true);
}

Result<std::vector<Written>> EmbeddedCollection::write_records(std::span<const Record> records, bool replaces) {
  TRY(check_records(records, write_limits(embedded_backend_info())));
  std::vector<TextToEmbed> texts;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!records[i].embedding) texts.push_back({i, records[i].id, records[i].document});
  }
  TRY(keep_those_to_embed(texts));
  std::vector<Record> complete;
  if (!texts.empty() && embed_text_ == EmbedText::on_write) {
    complete = TRY(with_vectors(*embedder_, records, texts));
    records = complete;
  }
  return write([&](Connection& connection, CollectionRow& collection) -> Result<std::vector<Written>> {
    if (collection.dimension) TRY(check_dimension(records, *collection.dimension));
    const bool records_model = TRY(may_embed(connection, collection, texts));
    RowWriter writer = TRY(RowWriter::start(connection, collection.id, records));
    if (embed_text_ == EmbedText::leave_missing) writer.leave_without_vector(VectorState::missing);
    std::vector<Written> written;
    std::optional<std::size_t> dimension;  // that of what was really written
    for (const Record& record : records) {
      written.push_back(TRY(writer.write(record, replaces ? IfIdExists::replace : IfIdExists::fail)));
      if (written.back().state != WriteState::already_there && record.embedding) dimension = record.embedding->size();
    }
    const auto is_written = [&](const TextToEmbed& text) {
      return written[text.item].state != WriteState::already_there;
    };
    const bool embeds = embed_text_ == EmbedText::on_write && std::any_of(texts.begin(), texts.end(), is_written);
    TRY(note_embedding(connection, collection, dimension, embeds, records_model));
    return written;
  });
}

Result<UpdateReport> EmbeddedCollection::update(std::span<const RecordUpdate> updates) {
  TRY(check_updates(updates, write_limits(embedded_backend_info())));
  std::vector<TextToEmbed> texts;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    if (updates[i].document && !updates[i].embedding) texts.push_back({i, updates[i].id, *updates[i].document});
  }
  TRY(keep_those_to_embed(texts));
  std::vector<RecordUpdate> complete;
  if (!texts.empty() && embed_text_ == EmbedText::on_write) {
    complete = TRY(with_vectors(*embedder_, updates, texts));
    updates = complete;
  }
  return write([&](Connection& connection, CollectionRow& collection) -> Result<UpdateReport> {
    if (collection.dimension) TRY(check_dimension(updates, *collection.dimension));
    const bool records_model = TRY(may_embed(connection, collection, texts));
    RowWriter writer = TRY(RowWriter::start(connection, collection.id, updates.size()));
    if (embed_text_ == EmbedText::leave_missing) writer.leave_without_vector(VectorState::missing);
    UpdateReport report;
    std::vector<bool> is_found;
    std::optional<std::size_t> dimension;
    for (const RecordUpdate& change : updates) {
      is_found.push_back(TRY(writer.update(change)));
      (is_found.back() ? report.updated : report.missing).push_back(change.id);
      if (is_found.back() && change.embedding) dimension = change.embedding->size();
    }
    const bool embeds =
        embed_text_ == EmbedText::on_write &&
        std::any_of(texts.begin(), texts.end(), [&](const TextToEmbed& text) { return is_found[text.item]; });
    TRY(note_embedding(connection, collection, dimension, embeds, records_model));
    return report;
  });
}

// Refused writes must not cost a model run, so the model is compared here already; the transaction does it again.
Status EmbeddedCollection::keep_those_to_embed(std::vector<TextToEmbed>& texts) const {
  if (embedder_ == nullptr || embed_text_ == EmbedText::leave_missing) texts.clear();
  if (texts.empty()) return {};
  return read([&](Connection& connection, const CollectionRow& row) -> Status {
    std::vector<TextToEmbed> kept;
    for (const TextToEmbed& text : texts) {
      const bool has_vector = TRY(is_embedded_already(connection, row.id, text.id, text.document));
      if (!has_vector) kept.push_back(text);
    }
    texts = std::move(kept);
    TRY(may_embed(connection, row, texts));
    return {};
  });
}

Result<bool> EmbeddedCollection::may_embed(Connection& connection, const CollectionRow& collection,
                                           const std::vector<TextToEmbed>& texts) const {
  if (texts.empty()) return false;
  const IdentityCheck identity = TRY(identity_of(connection, collection, embedder_, ModelSwap::refuse));
  TRY(identity.embed_on_write);
  return identity.records_model;
}

Status EmbeddedCollection::note_embedding(Connection& connection, CollectionRow& collection,
                                          std::optional<std::size_t> dimension, bool embeds, bool records_model) const {
  if (embeds && records_model) TRY(set_model(connection, collection, embedder_->model_name()));
  if (embeds && !dimension && embedder_->dimension() > 0) dimension = embedder_->dimension();
  if (dimension && !collection.dimension) TRY(set_dimension(connection, collection, *dimension));
  return {};
}

Result<std::size_t> EmbeddedCollection::erase(const Selection& selection) {
  TRY(check_selection_for_erase(selection));
  return write([&](Connection& connection, const CollectionRow& collection) -> Result<std::size_t> {
    const auto rows = TRY(selected_rows(connection, collection.id, selection));
    const RowScope scope(collection.id, selection.where, selection.where_document, rows ? &*rows : nullptr);
    std::vector<std::pair<std::int64_t, std::string>> doomed;
    TRY(scan_rows(connection, scope, {.documents = false, .metadatas = false}, {}, 0,
                  [&](std::int64_t row, Record record) -> Status {
                    doomed.emplace_back(row, std::move(record.id));
                    return {};
                  }));
    for (const auto& [row, id] : doomed) {
      TRY(note_erased_key(connection, row));
      TRY(erase_row(connection, collection.id, row, id));
    }
    return doomed.size();
  });
}

Result<std::vector<Record>> EmbeddedCollection::get(const GetRequest& request) const {
  std::vector<Record> records;
  TRY(scan(request, [&](Record record) -> Status {
    records.push_back(std::move(record));
    return {};
  }));
  return records;
}

Status EmbeddedCollection::scan(const GetRequest& request, const std::function<Status(Record)>& visit) const {
  TRY(check_get(request));
  const Selection& selection = request.selection;
  return read([&](Connection& connection, const CollectionRow& collection) -> Status {
    const auto rows = TRY(selected_rows(connection, collection.id, selection));
    const RowScope scope(collection.id, selection.where, selection.where_document, rows ? &*rows : nullptr);
    return scan_rows(connection, scope, request.include, request.limit, request.offset,
                     [&](std::int64_t, Record record) { return visit(std::move(record)); });
  });
}

Result<QueryResult> EmbeddedCollection::query(const QueryRequest& request) const {
  TRY(check_query(request));
  std::vector<Embedding> queries = request.embeddings;
  if (!request.texts.empty()) {
    if (embedder_ == nullptr) {
      return Error{ErrorKind::invalid_argument, "a query by text needs an embedder; choose one, or give vectors"};
    }
    queries = TRY(embed_texts(*embedder_, request.texts));
  }
  // A file of the index that is not there was removed after this snapshot was taken, as a rule: take another one.
  constexpr int kSnapshots = 4;
  for (int snapshot = 1;; ++snapshot) {
    Result<QueryResult> result = query_once(request, queries, snapshot < kSnapshots);
    if (result.ok() || result.error().kind != ErrorKind::not_found || snapshot == kSnapshots) return result;
  }
}

Result<QueryResult> EmbeddedCollection::query_once(const QueryRequest& request, const std::vector<Embedding>& queries,
                                                   bool may_use_index) const {
  return read([&](Connection& connection, const CollectionRow& collection) -> Result<QueryResult> {
    QueryResult result;
    result.hits.resize(queries.size());
    if (!collection.dimension) return result;  // nothing was ever stored with a vector
    TRY(check_dimension(queries, *collection.dimension));
    const auto ranked = TRY(nearest(connection, collection, request, queries, may_use_index && !request.exact));
    for (std::size_t i = 0; i < queries.size(); ++i) {
      for (RankedRecord& hit : TRY(read_ranked(connection, collection.id, ranked[i], request.include)))
        result.hits[i].push_back({std::move(hit.record), request.include.distances ? hit.value : 0});
    }
    return result;
  });
}

Result<RankedLists> EmbeddedCollection::nearest(Connection& connection, const CollectionRow& collection,
                                                const QueryRequest& request, const std::vector<Embedding>& queries,
                                                bool may_use_index) const {
  if (may_use_index) {
    const std::shared_ptr<Database> database = TRY(access_.database());
    std::optional<RankedLists> ranked =
        TRY(nearest_by_index(connection, database->index(), collection, request, queries));
    if (ranked) return *std::move(ranked);
  }
  const RowScope scope(collection.id, request.where, request.where_document);
  return nearest_rows(connection, scope, collection.metric, queries, request.n_results);
}

Result<std::vector<WordHit>> EmbeddedCollection::match(const MatchRequest& request) const {
  TRY(check_match(request));
  return read([&](Connection& connection, const CollectionRow& collection) -> Result<std::vector<WordHit>> {
    std::shared_ptr<FilteredRows> filtered;
    if (!request.where.is_empty() || !request.where_document.is_empty()) {
      const std::shared_ptr<Database> database = TRY(access_.database());
      filtered = TRY(database->index().filters.rows(connection, collection.id, request.where, request.where_document));
    }
    const auto ranked = TRY(matching_rows(connection, collection.id, request.text, request.n_results,
                                          filtered == nullptr ? nullptr : &filtered->rows()));
    std::vector<WordHit> hits;
    for (RankedRecord& hit : TRY(read_ranked(connection, collection.id, ranked, request.include)))
      hits.push_back({std::move(hit.record), hit.value});
    return hits;
  });
}

Result<EmbeddingStep> EmbeddedCollection::embed_pending(std::size_t limit) {
  if (embedder_ == nullptr) return Error{ErrorKind::invalid_argument, "there is no embedder; choose one"};
  const std::shared_ptr<Database> database = TRY(access_.database());
  if (database->access() == Access::read_only) return database->read_only_error();
  RowLeases leases = TRY(RowLeases::open(database->folder()));
  const auto candidates = TRY(read([&](Connection& connection, const CollectionRow& collection) {
    return lease_pending_rows(connection, collection.id, leases, limit);
  }));
  if (candidates.empty()) return EmbeddingStep{};
  // Read again now that they are ours: another process may have finished some of them in between.
  const std::vector<PendingRow> rows =
      TRY(read([&](Connection& connection, const CollectionRow& collection) -> Result<std::vector<PendingRow>> {
        TRY(TRY(identity_of(connection, collection, embedder_, ModelSwap::refuse)).embed_on_write);
        return read_pending_rows(connection, candidates);
      }));
  const std::vector<EmbeddedRow> made = TRY(rows_.embed(*embedder_, rows));
  return write([&](Connection& connection, CollectionRow& collection) -> Result<EmbeddingStep> {
    const IdentityCheck identity = TRY(identity_of(connection, collection, embedder_, ModelSwap::refuse));
    TRY(identity.embed_on_write);
    EmbeddingStep step;
    std::optional<std::size_t> dimension = collection.dimension;
    for (const EmbeddedRow& row : made) {
      if (!row.vector) {
        if (TRY(set_aside(connection, row.row))) step.refused.push_back({row.row.id, row.refusal});
        continue;
      }
      if (!dimension) dimension = row.vector->size();
      TRY(check_dimension(std::span(&*row.vector, 1), *dimension));
      step.embedded += TRY(store_pending_vector(connection, row.row, *row.vector)) ? 1 : 0;
    }
    if (step.embedded > 0) TRY(note_embedding(connection, collection, dimension, true, identity.records_model));
    return step;
  });
}

Result<std::size_t> EmbeddedCollection::queue_missing() {
  return write([](Connection& connection, const CollectionRow& collection) -> Result<std::size_t> {
    Statement update =
        TRY(connection.prepare("UPDATE records SET embedded = 0 WHERE collection = ?1 AND embedded = 2"));
    TRY(update.bind(1, collection.id).run());
    return static_cast<std::size_t>(sqlite3_changes(connection.handle()));
  });
}

Result<std::vector<SourceInfo>> EmbeddedCollection::sources(std::string_view prefix) const {
  return read([&](Connection& connection, const CollectionRow& collection) {
    return list_sources(connection, collection.id, prefix);
  });
}

Result<std::vector<SourceReport>> EmbeddedCollection::replace_sources(std::span<const SourceUpdate> updates) {
  TRY(check_source_updates(updates, write_limits(embedded_backend_info())));
  WordsAhead words(updates);  // begins before the writer has its turn
  return write([&](Connection& connection, const CollectionRow& collection) -> Result<std::vector<SourceReport>> {
    const WideCache cache(connection);
    SourceWriter writer = TRY(SourceWriter::start(connection, collection.id, updates, words));
    std::vector<SourceReport> reports;
    for (const SourceUpdate& update : updates) reports.push_back(TRY(writer.replace(update)));
    return reports;
  });
}

Result<std::size_t> EmbeddedCollection::erase_sources(std::span<const std::string> names) {
  return write([&](Connection& connection, const CollectionRow& collection) -> Result<std::size_t> {
    std::size_t records = 0;
    for (const std::string& name : names) records += TRY(erase_source(connection, collection.id, name));
    return records;
  });
}

Result<std::size_t> EmbeddedCollection::index_pending() {
  const std::shared_ptr<Database> database = TRY(access_.database());
  return TRY(index_collection(*database, access_.name())).rows;
}

void EmbeddedCollection::index_after_write() {
  const Result<std::shared_ptr<Database>> database = access_.database();
  if (!database.ok() || !(*database)->index().options.after_every_write) return;
  const auto step = [&] { return index_collection(**database, access_.name()); };
  for (Result<IndexReport> report = step(); report.ok() && report->rows > 0;) report = step();
}

Result<std::size_t> EmbeddedCollection::count() const {
  return read(
      [](Connection& connection, const CollectionRow& collection) { return count_records(connection, collection.id); });
}

Result<std::vector<GroupCount>> EmbeddedCollection::count_by(std::span<const std::string> keys) const {
  const bool by_place = keys.size() == 2 && keys[0] == "wing" && keys[1] == "room";
  if (!by_place) return count_by_scan(*this, keys);
  return read([](Connection& connection, const CollectionRow& collection) -> Result<std::vector<GroupCount>> {
    Statement select =
        TRY(connection.prepare("SELECT p.wing, p.room, sum(g.n) FROM (SELECT place, count(*) AS n FROM records WHERE "
                               "collection = ?1 GROUP BY place) g "
                               "LEFT JOIN places p ON p.id = g.place GROUP BY p.wing, p.room ORDER BY p.wing, p.room"));
    select.bind(1, collection.id);
    std::vector<GroupCount> groups;
    while (TRY(select.step())) {
      GroupCount& group = groups.emplace_back();
      for (const int column : {0, 1}) {
        group.values.push_back(select.is_null(column) ? std::nullopt : std::optional(std::string(select.text(column))));
      }
      group.count = static_cast<std::size_t>(select.integer(2));
    }
    return groups;
  });
}

Result<std::vector<Change>> EmbeddedCollection::changes_since(std::int64_t seq, std::size_t limit) const {
  return read([&](Connection& connection, const CollectionRow& collection) -> Result<std::vector<Change>> {
    // An id that came back, or was erased twice, appears once: with its latest change.
    Statement select = TRY(
        connection.prepare("SELECT seq, 0, id FROM records WHERE seq > ?1 AND collection = ?2 UNION ALL "
                           "SELECT seq, 1, id FROM deletions d WHERE seq > ?1 AND collection = ?2 "
                           "AND NOT EXISTS (SELECT 1 FROM records r WHERE r.collection = d.collection AND r.id = d.id) "
                           "AND NOT EXISTS (SELECT 1 FROM deletions l WHERE l.collection = d.collection AND l.id = "
                           "d.id AND l.seq > d.seq) "
                           "ORDER BY 1 LIMIT ?3"));
    select.bind(1, seq)
        .bind(2, collection.id)
        .bind(3, static_cast<std::int64_t>(std::min<std::size_t>(limit, INT64_MAX)));
    std::vector<Change> changes;
    while (TRY(select.step())) {
      changes.push_back({select.integer(0), select.integer(1) == 0 ? ChangeKind::written : ChangeKind::erased,
                         std::string(select.text(2))});
    }
    return changes;
  });
}

Health EmbeddedCollection::health() const {
  const Result<std::size_t> rows = count();
  if (!rows.ok()) return {.healthy = false, .detail = rows.error().message};
  const Result<IndexState> index = read([&](Connection& connection, const CollectionRow& row) -> Result<IndexState> {
    const std::shared_ptr<Database> database = TRY(access_.database());
    return index_state(connection, database->index(), row);
  });
  if (!index.ok()) return {.healthy = false, .detail = index.error().message};
  std::string detail = std::to_string(*rows) + " records";
  if (!index->problems.empty()) {
    detail +=
        "; searches by vector are exact and slower until the index is made again (`loci maintenance run reindex`): " +
        index->problems.front();
  }
  return {.healthy = true, .detail = detail};
}

}  // namespace loci::embedded
