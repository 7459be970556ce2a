#include "store/embedded/embedded_collection.h"

#include <algorithm>
#include <map>

#include "store/collection_defaults.h"
#include "store/contract.h"
#include "store/embedded/row_reader.h"
#include "store/embedded/row_scope.h"
#include "store/embedded/row_search.h"
#include "store/embedded/row_writer.h"
#include "store/identity.h"

namespace loci::embedded {
namespace {

// Gives vectors to the records that lack one. Happens before the transaction: no lock is held while a model computes.
Result<std::vector<Record>> with_vectors(const Embedder& embedder, std::span<const Record> records) {
  std::vector<Record> complete(records.begin(), records.end());
  std::vector<std::string> texts;
  for (const Record& record : records) {
    if (!record.embedding) texts.push_back(record.document);
  }
  std::vector<Embedding> vectors = TRY(embed_texts(embedder, texts));
  auto next = vectors.begin();
  for (Record& record : complete) {
    if (!record.embedding) record.embedding = std::move(*next++);
  }
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
  return read([](Connection& connection, const CollectionRow& row) -> Result<CollectionInfo> {
    return CollectionInfo{row.name, row.metric, row.dimension, row.model, TRY(count_pending(connection, row.id))};
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
  const bool lacks_vectors =
      std::any_of(records.begin(), records.end(), [](const Record& record) { return !record.embedding; });
  const auto texts = embedder_ != nullptr && lacks_vectors ? TextsToEmbed::some : TextsToEmbed::none;
  std::vector<Record> complete;
  if (texts == TextsToEmbed::some && embed_text_ == EmbedText::on_write) {
    // Refused writes must not cost a model run; the transaction checks again.
    TRY(read([&](Connection& connection, const CollectionRow& row) -> Status {
      return TRY(identity_of(connection, row, embedder_, ModelSwap::refuse)).embed_on_write;
    }));
    complete = TRY(with_vectors(*embedder_, records));
    records = complete;
  }
  return write([&](Connection& connection, CollectionRow& collection) -> Result<std::vector<Written>> {
    TRY(claim_embedding(connection, collection, dimension_of(records), texts));
    if (collection.dimension) TRY(check_dimension(records, *collection.dimension));
    RowWriter writer = TRY(RowWriter::start(connection, collection.id, records));
    std::vector<Written> written;
    for (const Record& record : records) {
      written.push_back(TRY(writer.write(record, replaces ? IfIdExists::replace : IfIdExists::fail)));
    }
    return written;
  });
}

Status EmbeddedCollection::claim_embedding(Connection& connection, CollectionRow& collection,
                                           std::optional<std::size_t> dimension, TextsToEmbed texts) const {
  if (texts == TextsToEmbed::some) {
    const IdentityCheck identity = TRY(identity_of(connection, collection, embedder_, ModelSwap::refuse));
    TRY(identity.embed_on_write);
    if (identity.records_model) TRY(set_model(connection, collection, embedder_->model_name()));
    if (!dimension) dimension = embedder_->dimension();
  }
  if (dimension && !collection.dimension) TRY(set_dimension(connection, collection, *dimension));
  return {};
}

Result<UpdateReport> EmbeddedCollection::update(std::span<const RecordUpdate> updates) {
  TRY(check_updates(updates, write_limits(embedded_backend_info())));
  std::vector<RecordUpdate> complete;
  const auto needs_vector = [](const RecordUpdate& change) { return change.document && !change.embedding; };
  const auto texts = embedder_ != nullptr && std::any_of(updates.begin(), updates.end(), needs_vector)
                         ? TextsToEmbed::some
                         : TextsToEmbed::none;
  if (texts == TextsToEmbed::some && embed_text_ == EmbedText::on_write) {
    complete.assign(updates.begin(), updates.end());
    for (RecordUpdate& change : complete) {
      if (!needs_vector(change)) continue;
      std::vector<Embedding> vectors = TRY(embed_texts(*embedder_, std::span(&*change.document, 1)));
      change.embedding = std::move(vectors.front());
    }
    updates = complete;
  }
  return write([&](Connection& connection, CollectionRow& collection) -> Result<UpdateReport> {
    TRY(claim_embedding(connection, collection, dimension_of(updates), texts));
    if (collection.dimension) TRY(check_dimension(updates, *collection.dimension));
    RowWriter writer = TRY(RowWriter::start(connection, collection.id, updates.size()));
    UpdateReport report;
    for (const RecordUpdate& change : updates) {
      const bool found = TRY(writer.update(change));
      (found ? report.updated : report.missing).push_back(change.id);
    }
    return report;
  });
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
    for (const auto& [row, id] : doomed) TRY(erase_row(connection, collection.id, row, id));
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
  return read([&](Connection& connection, const CollectionRow& collection) -> Result<QueryResult> {
    QueryResult result;
    result.hits.resize(queries.size());
    if (!collection.dimension) return result;  // nothing was ever stored with a vector
    TRY(check_dimension(queries, *collection.dimension));
    const RowScope scope(collection.id, request.where, request.where_document);
    const auto ranked = TRY(nearest_rows(connection, scope, collection.metric, queries, request.n_results));
    for (std::size_t i = 0; i < queries.size(); ++i) {
      std::vector<std::int64_t> rows;
      for (const RankedRow& hit : ranked[i]) rows.push_back(hit.row);
      std::vector<Record> records = TRY(read_rows(connection, collection.id, rows, request.include));
      for (std::size_t rank = 0; rank < records.size(); ++rank) {
        result.hits[i].push_back({std::move(records[rank]), request.include.distances ? ranked[i][rank].value : 0});
      }
    }
    return result;
  });
}

Result<std::vector<WordHit>> EmbeddedCollection::match(const MatchRequest& request) const {
  TRY(check_match(request));
  return read([&](Connection& connection, const CollectionRow& collection) -> Result<std::vector<WordHit>> {
    const RowScope scope(collection.id, request.where, request.where_document);
    const auto ranked = TRY(matching_rows(connection, collection.id, scope, request.text, request.n_results));
    std::vector<std::int64_t> rows;
    for (const RankedRow& hit : ranked) rows.push_back(hit.row);
    std::vector<Record> records = TRY(read_rows(connection, collection.id, rows, request.include));
    std::vector<WordHit> hits;
    for (std::size_t rank = 0; rank < records.size(); ++rank)
      hits.push_back({std::move(records[rank]), ranked[rank].value});
    return hits;
  });
}

Result<std::size_t> EmbeddedCollection::count() const {
  return read([](Connection& connection, const CollectionRow& collection) -> Result<std::size_t> {
    Statement select = TRY(connection.prepare("SELECT count(*) FROM records WHERE collection = ?1"));
    TRY(select.bind(1, collection.id).step());
    return static_cast<std::size_t>(select.integer(0));
  });
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
  return {.healthy = true, .detail = std::to_string(*rows) + " records"};
}

}  // namespace loci::embedded
