#include "store/chroma/folder_collection.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "store/chroma/folder_search.h"
#include "store/chroma/schema.h"
#include "store/collection_defaults.h"
#include "store/contract.h"

namespace loci::chroma {
namespace {

constexpr std::size_t kLargestList = 32'000;  // ids that are looked up one by one rather than by a scan

bool passes(const Selection& selection, const Record& record) {
  return matches(selection.where, record.metadata) && matches(selection.where_document, record.document);
}

Status check_reserved(std::span<const Record> records) {
  for (const Record& record : records) {
    if (record.metadata.contains(kDocumentKey)) {
      return Error{ErrorKind::invalid_argument, "record " + in_quotes(record.id) + " has metadata " +
                                                    in_quotes(kDocumentKey) + ", a name that is Chroma's own"};
    }
  }
  return {};
}

}  // namespace

Result<IdentityCheck> identity_of(FolderPalace& palace, Connection& connection, const CollectionRow& row,
                                  const Embedder* embedder, ModelSwap swap) {
  const std::shared_ptr<const Recovered> vectors = TRY(palace.vectors(connection, row));
  return check_identity(row.model, row.dimension, vectors->vectors > 0, embedder, swap);
}

Result<CollectionInfo> FolderCollection::info() const {
  return read([&](Connection& connection, const SchemaVersions&, const CollectionRow& row) -> Result<CollectionInfo> {
    const std::shared_ptr<const Recovered> vectors = TRY(palace_->vectors(connection, row));
    return CollectionInfo{row.name, row.space.metric, vectors->dimension, row.model, vectors->missing + vectors->stale};
  });
}

Result<std::vector<std::size_t>> FolderCollection::texts_to_embed(std::span<const Record> records) const {
  std::vector<std::size_t> texts;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!records[i].embedding) texts.push_back(i);
  }
  if (embedder_ == nullptr || texts.empty()) return std::vector<std::size_t>();
  return read([&](Connection& connection, const SchemaVersions& versions,
                  const CollectionRow& row) -> Result<std::vector<std::size_t>> {
    std::vector<std::size_t> kept;
    for (const std::size_t i : texts) {
      const std::optional<std::int64_t> found = TRY(find_row(connection, row, records[i].id));
      const bool has_vector =
          found && TRY(old_vector(connection, versions, row, records[i], *found)) == OldVector::kept;
      if (!has_vector) kept.push_back(i);
    }
    TRY(may_embed(connection, row, !kept.empty()));
    return kept;
  });
}

Result<bool> FolderCollection::may_embed(Connection& connection, const CollectionRow& row, bool has_texts) const {
  if (!has_texts) return false;
  const IdentityCheck identity = TRY(identity_of(*palace_, connection, row, embedder_, ModelSwap::refuse));
  TRY(identity.embed_on_write);
  return identity.records_model;
}

Status FolderCollection::note_embedding(Connection& connection, const CollectionRow& row,
                                        std::optional<std::size_t> dimension, bool embeds, bool records_model) const {
  if (embeds && records_model) TRY(set_model(connection, row, embedder_->model_name()));
  if (embeds && !dimension && embedder_->dimension() > 0) dimension = embedder_->dimension();
  if (dimension && !row.dimension) TRY(set_dimension(connection, row, *dimension));
  return {};
}

// A record keeps its vector as long as its document is the same.
Result<OldVector> FolderCollection::old_vector(Connection& connection, const SchemaVersions& versions,
                                               const CollectionRow& row, const Record& record,
                                               std::int64_t found) const {
  const std::shared_ptr<const Recovered> vectors = TRY(palace_->vectors(connection, row));
  if (vectors->place_of(record.id).kind == VectorPlace::Kind::nowhere) return OldVector::absent;
  Record old;
  TRY(read_row(connection, versions, found, old));
  return old.document == record.document ? OldVector::kept : OldVector::dropped;
}

Result<std::vector<Written>> FolderCollection::write_records(std::span<const Record> records, bool replaces) {
  TRY(check_records(records, write_limits(folder_backend_info())));
  TRY(check_reserved(records));
  const std::vector<std::size_t> texts = TRY(texts_to_embed(records));
  std::vector<Record> complete;
  if (!texts.empty() && embed_text_ == EmbedText::on_write) {
    std::vector<std::string> documents;
    for (const std::size_t i : texts) documents.push_back(records[i].document);
    std::vector<Embedding> vectors = TRY(embed_texts(*embedder_, documents));
    complete.assign(records.begin(), records.end());
    for (std::size_t i = 0; i < texts.size(); ++i) complete[texts[i]].embedding = std::move(vectors[i]);
    records = complete;
  }
  return write([&](Connection& connection, const SchemaVersions& versions,
                   const CollectionRow& row) -> Result<std::vector<Written>> {
    if (row.dimension) TRY(check_dimension(records, *row.dimension));
    const bool records_model = TRY(may_embed(connection, row, !texts.empty()));
    QueueWriter writer = TRY(QueueWriter::start(connection, versions, row));
    std::vector<Written> written;
    for (const Record& record : records) {
      const std::optional<std::int64_t> found = TRY(find_row(connection, row, record.id));
      if (found && !replaces) {
        return Error{ErrorKind::already_exists,
                     "there is a record " + in_quotes(record.id) + " already; use upsert to replace it"};
      }
      OldVector old = OldVector::absent;
      if (found && !record.embedding) old = TRY(old_vector(connection, versions, row, record, *found));
      TRY(writer.put(record, found, old));
      written.push_back({record.id, found ? WriteState::updated : WriteState::stored});
    }
    TRY(writer.finish());
    TRY(note_embedding(connection, row, dimension_of(records), !texts.empty(), records_model));
    return written;
  });
}

Result<UpdateReport> FolderCollection::update(std::span<const RecordUpdate> updates) {
  TRY(check_updates(updates, write_limits(folder_backend_info())));
  // Texts get their vectors before the transaction: no lock is held while a model computes.
  std::vector<RecordUpdate> complete(updates.begin(), updates.end());
  std::vector<Record> with_text;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < updates.size(); ++i) {
    if (!updates[i].document || updates[i].embedding) continue;
    with_text.push_back({.id = updates[i].id, .document = *updates[i].document});
    numbers.push_back(i);
  }
  const std::vector<std::size_t> texts = TRY(texts_to_embed(with_text));
  if (!texts.empty() && embed_text_ == EmbedText::on_write) {
    std::vector<std::string> documents;
    for (const std::size_t i : texts) documents.push_back(with_text[i].document);
    std::vector<Embedding> vectors = TRY(embed_texts(*embedder_, documents));
    for (std::size_t i = 0; i < texts.size(); ++i) complete[numbers[texts[i]]].embedding = std::move(vectors[i]);
  }
  return write(
      [&](Connection& connection, const SchemaVersions& versions, const CollectionRow& row) -> Result<UpdateReport> {
        if (row.dimension) TRY(check_dimension(complete, *row.dimension));
        const bool records_model = TRY(may_embed(connection, row, !texts.empty()));
        QueueWriter writer = TRY(QueueWriter::start(connection, versions, row));
        UpdateReport report;
        std::optional<std::size_t> dimension;
        for (const RecordUpdate& change : complete) {
          const std::optional<std::int64_t> found = TRY(find_row(connection, row, change.id));
          (found ? report.updated : report.missing).push_back(change.id);
          if (!found) continue;
          Record merged{.id = change.id};
          TRY(read_row(connection, versions, *found, merged));
          if (change.document) merged.document = *change.document;
          for (const auto& [key, value] : change.metadata.value_or(Metadata()))
            merged.metadata.insert_or_assign(key, value);
          TRY(check_reserved(std::span(&merged, 1)));
          merged.embedding = change.embedding;
          OldVector old = OldVector::absent;
          if (merged.embedding) {
            dimension = merged.embedding->size();
          } else {
            old = TRY(old_vector(connection, versions, row, merged, *found));
          }
          TRY(writer.put(merged, found, old));
        }
        TRY(writer.finish());
        TRY(note_embedding(connection, row, dimension, !texts.empty() && !report.updated.empty(), records_model));
        return report;
      });
}

Status FolderCollection::visit_selected(Connection& connection, const SchemaVersions& versions,
                                        const CollectionRow& row, const GetRequest& request,
                                        const std::function<Status(std::int64_t, Record)>& visit) const {
  const Selection& selection = request.selection;
  const bool filters = !selection.where.is_empty() || !selection.where_document.is_empty();
  const bool reads = filters || request.include.documents || request.include.metadatas;
  std::shared_ptr<const Recovered> vectors;
  if (request.include.embeddings) vectors = TRY(palace_->vectors(connection, row));
  std::size_t to_skip = request.offset;
  std::size_t given = 0;
  const auto visit_row = [&](std::int64_t number, std::string_view id) -> Result<bool> {
    if (request.limit && given == *request.limit) return false;
    Record record{.id = clean_text(id)};
    if (reads && (filters || to_skip == 0)) TRY(read_row(connection, versions, number, record));
    if (filters && !passes(selection, record)) return true;
    if (to_skip > 0) {
      --to_skip;
      return true;
    }
    if (++given % SegmentFolder::kLetGoSlots == 0 && vectors) {
      for (const auto& segment : vectors->segments) segment->let_go();
    }
    if (!request.include.documents) record.document.clear();
    if (!request.include.metadatas) record.metadata.clear();
    if (vectors) record.embedding = TRY(vector_at(connection, *vectors, vectors->place_of(id)));
    TRY(visit(number, std::move(record)));
    return true;
  };
  if (selection.ids && selection.ids->size() <= kLargestList) {
    std::map<std::int64_t, const std::string*> rows;  // in the order of insertion, each once
    for (const std::string& id : *selection.ids) {
      if (const std::optional<std::int64_t> found = TRY(find_row(connection, row, id))) rows.emplace(*found, &id);
    }
    for (const auto& [number, id] : rows) {
      if (!TRY(visit_row(number, *id))) break;
    }
    return {};
  }
  std::unordered_set<std::string_view> wanted;
  if (selection.ids) wanted.insert(selection.ids->begin(), selection.ids->end());
  Statement select =
      TRY(connection.prepare("SELECT id, embedding_id FROM embeddings WHERE segment_id = ?1 ORDER BY id"));
  select.bind(1, row.metadata_segment);
  while (TRY(select.step())) {
    const std::string id(select.text(1));
    if (selection.ids && !wanted.contains(id)) continue;
    if (!TRY(visit_row(select.integer(0), id))) break;
  }
  return {};
}

Result<std::size_t> FolderCollection::erase(const Selection& selection) {
  TRY(check_selection_for_erase(selection));
  return write(
      [&](Connection& connection, const SchemaVersions& versions, const CollectionRow& row) -> Result<std::size_t> {
        std::vector<std::pair<std::int64_t, std::string>> doomed;
        const GetRequest request{.selection = selection, .include = {.documents = false, .metadatas = false}};
        TRY(visit_selected(connection, versions, row, request, [&](std::int64_t number, Record record) -> Status {
          doomed.emplace_back(number, std::move(record.id));
          return {};
        }));
        QueueWriter writer = TRY(QueueWriter::start(connection, versions, row));
        for (const auto& [number, id] : doomed) TRY(writer.erase(id, number));
        TRY(writer.finish());
        return doomed.size();
      });
}

Result<std::vector<Record>> FolderCollection::get(const GetRequest& request) const {
  std::vector<Record> records;
  TRY(scan(request, [&](Record record) -> Status {
    records.push_back(std::move(record));
    return {};
  }));
  return records;
}

Status FolderCollection::scan(const GetRequest& request, const std::function<Status(Record)>& visit) const {
  TRY(check_get(request));
  return read([&](Connection& connection, const SchemaVersions& versions, const CollectionRow& row) -> Status {
    return visit_selected(connection, versions, row, request,
                          [&](std::int64_t, Record record) { return visit(std::move(record)); });
  });
}

Result<QueryResult> FolderCollection::query(const QueryRequest& request) const {
  TRY(check_query(request));
  std::vector<Embedding> queries = request.embeddings;
  return read(
      [&](Connection& connection, const SchemaVersions& versions, const CollectionRow& row) -> Result<QueryResult> {
        if (!request.texts.empty()) {
          if (embedder_ == nullptr)
            return Error{ErrorKind::invalid_argument, "a query by text needs an embedder; choose one, or give vectors"};
          queries = TRY(embed_texts(*embedder_, request.texts));
        }
        QueryResult result;
        result.hits.resize(queries.size());
        const std::shared_ptr<const Recovered> vectors = TRY(palace_->vectors(connection, row));
        if (!vectors->dimension) return result;
        TRY(check_dimension(queries, *vectors->dimension));
        const Selection selection{.where = request.where, .where_document = request.where_document};
        std::vector<bool> passing;
        if (!selection.is_empty()) {
          for (const RecoveredRecord& each : vectors->records) {
            Record record;
            TRY(read_row(connection, versions, each.row, record));
            passing.push_back(passes(selection, record));
          }
        }
        std::shared_ptr<const VectorIndex> index;
        if (selection.is_empty()) index = TRY(palace_->index(connection, row, vectors));
        const auto found = TRY(nearest_records(connection, *vectors, row.space.metric, queries, request.n_results,
                                               selection.is_empty() ? nullptr : &passing, index.get()));
        for (std::size_t i = 0; i < queries.size(); ++i) {
          for (const FoundRecord& hit : found[i]) {
            const RecoveredRecord& each = vectors->records[hit.record];
            Record record{.id = clean_text(each.id)};
            if (request.include.documents || request.include.metadatas)
              TRY(read_row(connection, versions, each.row, record));
            if (!request.include.documents) record.document.clear();
            if (!request.include.metadatas) record.metadata.clear();
            if (request.include.embeddings) record.embedding = TRY(vector_at(connection, *vectors, each.place));
            result.hits[i].push_back({std::move(record), request.include.distances ? hit.distance : 0});
          }
        }
        return result;
      });
}

Result<std::vector<WordHit>> FolderCollection::match(const MatchRequest&) const {
  TRY(read([](Connection&, const SchemaVersions&, const CollectionRow&) { return ok_status(); }));
  return Error{ErrorKind::unsupported, "a Chroma folder has no search by words; migrate it to a Loci palace for that"};
}

Result<std::size_t> FolderCollection::count() const {
  return read([](Connection& connection, const SchemaVersions&, const CollectionRow& row) -> Result<std::size_t> {
    Statement select = TRY(connection.prepare("SELECT count(*) FROM embeddings WHERE segment_id = ?1"));
    TRY(select.bind(1, row.metadata_segment).step());
    return static_cast<std::size_t>(select.integer(0));
  });
}

Result<std::vector<GroupCount>> FolderCollection::count_by(std::span<const std::string> keys) const {
  return count_by_scan(*this, keys);
}

Result<std::vector<Change>> FolderCollection::changes_since(std::int64_t, std::size_t) const {
  TRY(read([](Connection&, const SchemaVersions&, const CollectionRow&) { return ok_status(); }));
  return Error{ErrorKind::unsupported, "a Chroma folder does not remember what changed"};
}

Health FolderCollection::health() const {
  const Result<std::size_t> rows = count();
  if (!rows.ok()) return {.healthy = false, .detail = rows.error().message};
  return {.healthy = true, .detail = std::to_string(*rows) + " records"};
}

}  // namespace loci::chroma
