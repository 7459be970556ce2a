#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "base/clock.h"
#include "store/collection_defaults.h"
#include "store/contract.h"
#include "store/identity.h"
#include "tests/conformance/exact_distance.h"
#include "tests/conformance/memory_state.h"

namespace loci::conformance {
namespace {

bool is_known(FilterOperator op) { return to_string(op) != "$unknown"; }
bool denies(FilterOperator op) { return op == FilterOperator::ne || op == FilterOperator::nin; }

// The filter as a careless backend reads it: parts that it does not know are left out.
Filter without_unknown(const Filter& filter) {
  if (filter.kind == Filter::Kind::leaf) return is_known(filter.leaf.op) ? filter : Filter{};
  Filter kept = filter;
  kept.children.clear();
  for (const Filter& child : filter.children) {
    Filter part = without_unknown(child);
    if (!part.is_empty()) kept.children.push_back(std::move(part));
  }
  return kept.children.empty() ? Filter{} : kept;
}

// The words of a text: runs of letters and digits, in lower case as far as ASCII goes.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_part = byte >= 0x80 || std::isalnum(byte) != 0;
    if (is_part && !inside) words.emplace_back();
    if (is_part) words.back() += static_cast<char>(std::tolower(byte));
    inside = is_part;
  }
  return words;
}

class MemoryCollection : public Collection {
 public:
  MemoryCollection(std::shared_ptr<MemoryState> state, std::string palace_key, std::string name,
                   const OpenOptions& options)
      : state_(std::move(state)), palace_key_(std::move(palace_key)), name_(std::move(name)), options_(options) {}

  Result<CollectionInfo> info() const override {
    const MutexLock lock(mutex());
    const StoredCollection& stored = *TRY(find());
    CollectionInfo info{.name = name_, .metric = stored.metric, .dimension = stored.dimension, .model = stored.model};
    for (const auto& [row, record] : stored.rows) info.pending += record.embedding ? 0 : 1;
    return info;
  }

  Result<std::vector<Written>> add(std::span<const Record> records) override {
    return write(records, has(Defect::adds_over_existing) ? IfIdExists::replace : IfIdExists::fail);
  }
  Result<std::vector<Written>> upsert(std::span<const Record> records) override {
    return write(records, IfIdExists::replace);
  }

  Result<UpdateReport> update(std::span<const RecordUpdate> updates) override {
    if (!backend_info().has(capability::kUpdate)) {
      TRY(check_updates(updates, write_limits(backend_info())));
      return update_by_get_and_upsert(*this, updates);
    }
    const MutexLock lock(mutex());
    StoredCollection& stored = *TRY(find_for_writing());
    TRY(check_updates(updates, write_limits(backend_info())));
    if (stored.dimension) TRY(check_dimension(updates, *stored.dimension));
    UpdateReport report;
    std::vector<Record> changed;
    for (const RecordUpdate& update : updates) {
      const Record* found = stored.find(update.id);
      (found != nullptr ? report.updated : report.missing).push_back(update.id);
      if (found == nullptr) continue;
      Record merged = *found;
      merged.details.reset();
      if (update.document) merged.document = *update.document;
      for (const auto& [key, value] : update.metadata.value_or(Metadata{}))
        merged.metadata.insert_or_assign(key, value);
      if (update.leaves_source && found->details->key) {
        for (const std::string& key : *update.leaves_source) merged.metadata.erase(key);
      }
      merged.embedding = update.embedding;  // absent: the write keeps the vector as long as the document is the same
      changed.push_back(std::move(merged));
    }
    StoredCollection next = stored;
    for (const RecordUpdate& update : updates) {
      if (update.leaves_source) leave_source(next, update.id);
    }
    TRY(write_all(next, changed, IfIdExists::replace));
    stored = std::move(next);
    return report;
  }

  Result<std::size_t> erase(const Selection& selection) override {
    const MutexLock lock(mutex());
    StoredCollection& stored = *TRY(find_for_writing());
    if (!(selection.is_empty() && has(Defect::erases_all_without_selection))) {
      if (selection.is_empty()) TRY(check_selection_for_erase(selection));
      TRY(check(selection));
    }
    std::vector<std::int64_t> doomed;
    for (const auto& [row, record] : stored.rows) {
      if (is_selected(selection, record)) doomed.push_back(row);
    }
    for (const std::int64_t row : doomed) {
      if (const auto& key = stored.rows.at(row).details->key)
        stored.sources[key->source].erased.emplace(key->content_hash, key->occurrence);
      stored.erase_row(row);
    }
    return doomed.size();
  }

  Result<std::vector<SourceInfo>> sources(std::string_view prefix) const override {
    const MutexLock lock(mutex());
    const StoredCollection& stored = *TRY(find());
    if (state_->options.details == KeepDetails::no) return Collection::sources(prefix);
    std::vector<SourceInfo> sources;
    for (const auto& [name, source] : stored.sources) {
      if (name.starts_with(prefix) && (source.state || !stored.rows_of(name).empty()))
        sources.push_back({name, source.state.value_or(""), !source.erased.empty()});
    }
    return sources;
  }

  Result<std::vector<SourceReport>> replace_sources(std::span<const SourceUpdate> updates) override {
    const MutexLock lock(mutex());
    StoredCollection& stored = *TRY(find_for_writing());
    if (state_->options.details == KeepDetails::no) return Collection::replace_sources(updates);
    TRY(check_source_updates(updates, write_limits(backend_info())));
    std::vector<SourceReport> reports;
    for (const SourceUpdate& update : updates) reports.push_back(replace_source(stored, update));
    return reports;
  }

  Result<std::size_t> erase_sources(std::span<const std::string> names) override {
    const MutexLock lock(mutex());
    StoredCollection& stored = *TRY(find_for_writing());
    if (state_->options.details == KeepDetails::no) return Collection::erase_sources(names);
    std::size_t records = 0;
    for (const std::string& name : names) {
      const std::vector<std::int64_t> rows = stored.rows_of(name);
      for (const std::int64_t row : rows) stored.erase_row(row);
      records += rows.size();
      const auto source = stored.sources.find(name);
      if (source == stored.sources.end()) continue;
      source->second.state.reset();
      if (source->second.erased.empty()) stored.sources.erase(source);
    }
    return records;
  }

  Result<std::vector<Record>> get(const GetRequest& request) const override {
    const MutexLock lock(mutex());
    const StoredCollection& stored = *TRY(find());
    TRY(check(request.selection));
    std::vector<Record> records;
    std::size_t to_skip = request.offset;
    for (const auto& [row, record] : stored.rows) {
      if (request.limit && records.size() == *request.limit) break;
      if (!is_selected(request.selection, record)) continue;
      if (to_skip > 0) {
        --to_skip;
        continue;
      }
      records.push_back(included(record, request.include));
    }
    return records;
  }

  Status scan(const GetRequest& request, const std::function<Status(Record)>& visit) const override {
    for (Record& record : TRY(get(request))) TRY(visit(std::move(record)));
    return ok_status();
  }

  Result<QueryResult> query(const QueryRequest& request) const override {
    const MutexLock lock(mutex());
    const StoredCollection& stored = *TRY(find());
    QueryRequest without_filters = request;
    without_filters.where = {};
    without_filters.where_document = {};
    TRY(check_query(without_filters));
    const Selection selection{.where = request.where, .where_document = request.where_document};
    TRY(check(selection));
    std::vector<Embedding> queries = request.embeddings;
    if (!request.texts.empty()) {
      if (options_.embedder == nullptr) return Error{ErrorKind::invalid_argument, "a query by text needs an embedder"};
      queries = TRY(embed_texts(*options_.embedder, request.texts));
    }
    QueryResult result;
    result.hits.resize(queries.size());
    if (!stored.dimension) return result;
    TRY(check_dimension(queries, *stored.dimension));
    for (std::size_t i = 0; i < queries.size(); ++i) {
      result.hits[i] = nearest(stored, queries[i], selection, request.n_results);
      for (Hit& hit : result.hits[i]) {
        hit.record = included(hit.record, request.include);
        if (!request.include.distances) hit.distance = 0;
      }
    }
    return result;
  }

  Result<std::vector<WordHit>> match(const MatchRequest& request) const override {
    const MutexLock lock(mutex());
    const StoredCollection& stored = *TRY(find());
    if (!backend_info().has(capability::kLexicalSearch)) {
      return Error{ErrorKind::unsupported, "this backend has no search by words"};
    }
    TRY(check_match(request, filter_limits(backend_info())));
    const std::vector<std::string> asked = words_of(request.text);
    const std::set<std::string> words(asked.begin(), asked.end());
    if (words.empty()) return Error{ErrorKind::invalid_argument, "the query has no word to look for"};
    const Selection selection{.where = request.where, .where_document = request.where_document};
    std::vector<WordHit> hits;
    for (const auto& [row, record] : stored.rows) {
      if (!is_selected(selection, record)) continue;
      const std::vector<std::string> found = words_of(record.document);
      const std::set<std::string> distinct(found.begin(), found.end());
      const auto score = std::count_if(distinct.begin(), distinct.end(),
                                       [&](const std::string& word) { return words.contains(word); });
      if (score == 0) continue;
      const double share = static_cast<double>(score) / static_cast<double>(words.size());
      hits.push_back({.record = included(record, request.include), .score = share});
    }
    std::stable_sort(hits.begin(), hits.end(), [](const WordHit& a, const WordHit& b) { return a.score > b.score; });
    if (hits.size() > request.n_results) hits.resize(request.n_results);
    return hits;
  }

  Result<std::size_t> count() const override {
    const MutexLock lock(mutex());
    return TRY(find())->rows.size();
  }

  Result<std::vector<GroupCount>> count_by(std::span<const std::string> keys) const override {
    return count_by_scan(*this, keys);
  }

  Result<std::vector<Change>> changes_since(std::int64_t seq, std::size_t limit) const override {
    const MutexLock lock(mutex());
    const StoredCollection& stored = *TRY(find());
    if (!backend_info().has(capability::kChangeFeed)) {
      return Error{ErrorKind::unsupported, "this backend has no change feed"};
    }
    std::vector<Change> changes;
    for (const auto& [id, change] : stored.changes) {
      if (change.seq > seq) changes.push_back(change);
    }
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.seq < b.seq; });
    if (changes.size() > limit) changes.resize(limit);
    return changes;
  }

  Health health() const override {
    const Result<std::size_t> records = count();
    return records.ok() ? Health{} : Health{.healthy = false, .detail = records.error().message};
  }

 private:
  enum class IfIdExists { fail, replace };

  Mutex& mutex() const RETURN_CAPABILITY(state_->disk->mutex) { return state_->disk->mutex; }
  bool has(Defect defect) const { return state_->has(defect); }
  const BackendInfo& backend_info() const { return state_->options.info; }

  Result<StoredCollection*> find() const REQUIRES(mutex()) {
    TRY(state_->check_open());
    return state_->find_collection(palace_key_, name_);
  }
  Result<StoredCollection*> find_for_writing() const REQUIRES(mutex()) {
    StoredCollection* stored = TRY(find());
    if (options_.access == Access::read_only) return Error{ErrorKind::io, "the palace is open for reading only"};
    return stored;
  }

  Status check(const Selection& selection) const {
    if (has(Defect::drops_unknown_operators)) return ok_status();
    if (has(Defect::checks_top_of_filter_only) && selection.where.kind != Filter::Kind::leaf) return ok_status();
    return check_get({.selection = selection}, filter_limits(backend_info()));
  }

  bool is_selected(const Selection& selection, const Record& record) const {
    if (selection.ids && std::count(selection.ids->begin(), selection.ids->end(), record.id) == 0) return false;
    const bool is_careless = has(Defect::drops_unknown_operators) || has(Defect::checks_top_of_filter_only);
    const Filter& where = selection.where;
    if (has(Defect::negation_needs_key) && where.kind == Filter::Kind::leaf && denies(where.leaf.op) &&
        !record.metadata.contains(where.leaf.key)) {
      return false;
    }
    if (!matches(is_careless ? without_unknown(where) : where, record.metadata)) return false;
    if (is_careless && selection.where_document.kind == DocumentFilter::Kind::leaf &&
        !is_known(selection.where_document.leaf.op)) {
      return true;
    }
    return matches(selection.where_document, record.document);
  }

  Record included(const Record& record, const Include& include) const {
    Record part{.id = record.id};
    if (include.documents) part.document = record.document;
    if (include.metadatas) part.metadata = record.metadata;
    if (include.embeddings && backend_info().has(capability::kEmbeddingsOut)) part.embedding = record.embedding;
    if (include.details && state_->options.details == KeepDetails::yes) part.details = record.details;
    return part;
  }

  std::vector<Hit> nearest(const StoredCollection& stored, const Embedding& query, const Selection& selection,
                           std::size_t n_results) const {
    std::vector<Hit> hits;
    for (const auto& [row, record] : stored.rows) {
      if (!record.embedding) continue;
      if (!has(Defect::filters_after_cut) && !is_selected(selection, record)) continue;
      // Rounded as most stores do, so that what is equal but for the last bits is a tie.
      const auto distance = static_cast<float>(exact_distance(stored.metric, query, *record.embedding));
      hits.push_back({.record = record, .distance = distance});
    }
    std::stable_sort(hits.begin(), hits.end(), [&](const Hit& a, const Hit& b) {
      if (a.distance != b.distance || has(Defect::breaks_ties_by_insertion)) return a.distance < b.distance;
      return a.record.id < b.record.id;
    });
    if (hits.size() > n_results) hits.resize(n_results);
    if (has(Defect::filters_after_cut)) {
      std::erase_if(hits, [&](const Hit& hit) { return !is_selected(selection, hit.record); });
    }
    return hits;
  }

  Result<std::vector<Written>> write(std::span<const Record> records, IfIdExists if_id_exists) {
    const MutexLock lock(mutex());
    StoredCollection& stored = *TRY(find_for_writing());
    if (has(Defect::keeps_part_of_batch)) {
      std::vector<Written> written;
      for (const Record& record : records) {
        TRY(check_records(std::span(&record, 1), write_limits(backend_info())));
        written.push_back(TRY(write_all(stored, std::span(&record, 1), if_id_exists)).front());
      }
      return written;
    }
    Status checked = check_records(records, write_limits(backend_info()));
    if (!checked.ok() && !(has(Defect::ignores_dimension) && checked.error().kind == ErrorKind::dimension_mismatch)) {
      return checked.error();
    }
    StoredCollection next = stored;
    std::vector<Written> written = TRY(write_all(next, records, if_id_exists));
    stored = std::move(next);
    return written;
  }

  // Writes to `stored`, which the caller throws away after an error.
  Result<std::vector<Written>> write_all(StoredCollection& stored, std::span<const Record> records,
                                         IfIdExists if_id_exists) const {
    if (stored.dimension && !has(Defect::ignores_dimension)) TRY(check_dimension(records, *stored.dimension));
    // Once for the batch: vectors that it brings do not make the model of its texts unknown.
    const IdentityCheck identity =
        check_identity(stored.model, stored.dimension, stored.has_vectors(), options_.embedder);
    std::vector<Written> written;
    for (const Record& record : records) written.push_back(TRY(write_one(stored, record, if_id_exists, identity)));
    return written;
  }

  Result<Written> write_one(StoredCollection& stored, Record record, IfIdExists if_id_exists,
                            const IdentityCheck& identity) const {
    Record* old = stored.find(record.id);
    if (old != nullptr && if_id_exists == IfIdExists::fail) {
      return Error{ErrorKind::already_exists, "record " + in_quotes(record.id) + " exists already"};
    }
    if (record.details && record.details->key && !has(Defect::folds_nothing)) {
      const std::optional<std::string> holder = stored.find_key(*record.details->key);
      if (holder && *holder != record.id) return Written{*holder, WriteState::already_there};
    }
    if (record.details && record.details->key) {
      const UniqueKey& key = *record.details->key;
      stored.sources[key.source].erased.erase({key.content_hash, key.occurrence});
    }
    if (!record.embedding && old != nullptr && old->document == record.document) record.embedding = old->embedding;
    if (!record.embedding && options_.embedder != nullptr) TRY(embed(stored, record, identity));
    if (record.embedding && !stored.dimension) stored.dimension = record.embedding->size();
    fill_details(record, old);
    stored.note(ChangeKind::written, record.id);
    if (old != nullptr) {
      *old = std::move(record);
      return Written{old->id, WriteState::updated};
    }
    const std::int64_t row = ++stored.last_row;
    stored.row_of[record.id] = row;
    const Record& kept = stored.rows[row] = std::move(record);
    return Written{kept.id, WriteState::stored};
  }

  // E3: a text that the store is to embed, now or later, needs a model that fits.
  Status embed(StoredCollection& stored, Record& record, const IdentityCheck& identity) const {
    TRY(identity.embed_on_write);
    if (identity.records_model) stored.model = options_.embedder->model_name();
    if (!stored.dimension) stored.dimension = options_.embedder->dimension();
    if (options_.embed_text == EmbedText::on_write) {
      record.embedding = std::move(TRY(embed_texts(*options_.embedder, std::span(&record.document, 1))).front());
    }
    return ok_status();
  }

  // The key is always taken; links, count and times are taken when created_at is given.
  static void leave_source(StoredCollection& stored, const std::string& id) {
    Record* record = stored.find(id);
    if (record == nullptr || !record->details->key) return;
    const UniqueKey& key = *record->details->key;
    stored.sources[key.source].erased.emplace(key.content_hash, key.occurrence);
    record->details->key.reset();
  }

  static void fill_details(Record& record, const Record* old) {
    RecordDetails details;
    if (old != nullptr) details = *old->details;
    const std::int64_t now = now_unix_ms();
    if (old == nullptr) details.created_at = now;
    details.updated_at = now;
    if (record.details) {
      const std::optional<UniqueKey> key = record.details->key ? record.details->key : details.key;
      if (record.details->created_at != 0) details = *record.details;
      details.key = key;
      std::sort(details.links.begin(), details.links.end(), [](const Link& a, const Link& b) {
        return std::tie(a.kind, a.target_id) < std::tie(b.kind, b.target_id);
      });
    }
    record.details = std::move(details);
  }

  const std::shared_ptr<MemoryState> state_;
  const std::string palace_key_;
  const std::string name_;
  const OpenOptions options_;
};

}  // namespace

bool StoredCollection::has_vectors() const {
  return std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.second.embedding.has_value(); });
}

Record* StoredCollection::find(std::string_view id) {
  const auto found = row_of.find(id);
  return found == row_of.end() ? nullptr : &rows.at(found->second);
}

std::optional<std::string> StoredCollection::find_key(const UniqueKey& key) const {
  for (const auto& [row, record] : rows) {
    if (record.details && record.details->key == key) return record.id;
  }
  return std::nullopt;
}

void StoredCollection::note(ChangeKind kind, const std::string& id) {
  changes[id] = {.seq = ++last_seq, .kind = kind, .id = id};
}

void StoredCollection::erase_row(std::int64_t row) {
  const std::string id = rows.at(row).id;
  rows.erase(row);
  row_of.erase(id);
  note(ChangeKind::erased, id);
}

std::vector<std::int64_t> StoredCollection::rows_of(std::string_view source) const {
  std::vector<std::int64_t> found;
  for (const auto& [row, record] : rows) {
    if (record.details && record.details->key && record.details->key->source == source) found.push_back(row);
  }
  return found;
}

std::shared_ptr<Collection> make_memory_collection(std::shared_ptr<MemoryState> state, std::string palace_key,
                                                   std::string name, const OpenOptions& options) {
  return std::make_shared<MemoryCollection>(std::move(state), std::move(palace_key), std::move(name), options);
}

}  // namespace loci::conformance
