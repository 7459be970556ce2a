// A Collection is a durable set of records that can be found again by id, by words or by meaning.
// tests/conformance states what every implementation must do; the rule numbers there (C1, F3, …) are those of
// docs/storage_contract.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loci/filter.h"
#include "loci/record.h"
#include "loci/result.h"
#include "loci/source.h"

namespace loci {

class Reembedding;

enum class DistanceMetric { cosine, l2, ip };  // 1 - cos, squared Euclidean, 1 - dot: smaller is nearer for all three

constexpr std::string_view to_string(DistanceMetric metric) {
  switch (metric) {
    case DistanceMetric::cosine: return "cosine";
    case DistanceMetric::l2: return "l2";
    case DistanceMetric::ip: return "ip";
  }
  return "cosine";
}
std::optional<DistanceMetric> parse_distance_metric(std::string_view name);

// Which parts of a record an answer carries. The id is always there.
struct Include {
  bool documents = true;
  bool metadatas = true;
  bool distances = true;
  bool embeddings = false;
  bool details = false;

  friend bool operator==(const Include&, const Include&) = default;
};
// From names such as "documents". Errors: invalid_argument, naming what is not known.
Result<Include> parse_include(std::span<const std::string> names);

// What became of one record of a write.
enum class WriteState {
  stored,         // a new row
  updated,        // an existing row of that id was replaced
  already_there,  // a row with the same unique key stays as it is; `id` says which
};
struct Written {
  std::string id;
  WriteState state = WriteState::stored;

  friend bool operator==(const Written&, const Written&) = default;
};

// Fields to change in one record; what is absent stays. A changed document without a new embedding drops the old
// vector (it would describe the old text), so the record waits for a new one.
struct RecordUpdate {
  std::string id;
  std::optional<std::string> document = {};
  std::optional<Metadata> metadata = {};  // merged into what is there, key by key
  std::optional<Embedding> embedding = {};
  // Of a record that has a unique key: it is no longer a part of its source. It loses the key, which is noted as that
  // of an erased record, and these keys of its metadata. Stores without sources, and other records, are not concerned.
  std::optional<std::vector<std::string>> leaves_source = {};
};
struct UpdateReport {
  std::vector<std::string> updated;
  std::vector<std::string> missing;  // ids that do not exist; they are not created
};

// Names records: those of `ids`, those that pass the filters, or both at once (the intersection).
struct Selection {
  std::optional<std::vector<std::string>> ids = {};
  Filter where = {};
  DocumentFilter where_document = {};

  bool is_empty() const { return !ids && where.is_empty() && where_document.is_empty(); }
};

struct GetRequest {
  Selection selection = {};  // empty: all records
  std::optional<std::size_t> limit = {};
  std::size_t offset = 0;
  Include include = {};  // distances do not apply
};

struct QueryRequest {
  // Exactly one of the two is not empty.
  std::vector<std::string> texts = {};
  std::vector<Embedding> embeddings = {};
  std::size_t n_results = 10;
  Filter where = {};
  DocumentFilter where_document = {};
  Include include = {};
  bool exact = false;  // measure every vector, without an index
};

struct Hit {
  Record record;
  double distance = 0;  // by the collection's metric

  friend bool operator==(const Hit&, const Hit&) = default;
};
struct QueryResult {
  std::vector<std::vector<Hit>> hits;  // one list per query, always; a list may be empty
};

struct MatchRequest {
  std::string text;  // any of its words matches
  std::size_t n_results = 10;
  Filter where = {};
  DocumentFilter where_document = {};
  Include include = {};
};
struct WordHit {
  Record record;
  // From 0 to 1: how much of what was asked for the record has, rare words counting more.
  double score = 0;
};

// What one step of embedding did.
struct RefusedText {
  std::string id;      // of the record
  std::string reason;  // what the embedder says

  friend bool operator==(const RefusedText&, const RefusedText&) = default;
};
struct EmbeddingStep {
  std::size_t embedded = 0;
  std::vector<RefusedText> refused = {};  // records whose text the embedder does not take; they wait no longer

  bool is_empty() const { return embedded == 0 && refused.empty(); }
};

enum class ChangeKind { written, erased };
struct Change {
  std::int64_t seq = 0;
  ChangeKind kind = ChangeKind::written;
  std::string id;

  friend bool operator==(const Change&, const Change&) = default;
};

struct CollectionInfo {
  std::string name;
  DistanceMetric metric = DistanceMetric::cosine;
  std::optional<std::size_t> dimension = {};  // fixed by the first vector, or by the model
  std::string model = {};                     // empty: unknown
  std::size_t pending = 0;                    // records that wait for their vector
  std::size_t missing = 0;                    // records without a vector that wait for none
  // Why the last search by vector measured all rows although there is an index; empty: it did not.
  std::string index_problem = {};
};

// How many records share these values of the keys asked for; absent: the record has no string there.
struct GroupCount {
  std::vector<std::optional<std::string>> values;
  std::size_t count = 0;

  friend bool operator==(const GroupCount&, const GroupCount&) = default;
};

struct Health {
  bool healthy = true;
  std::string detail;
};

// All methods may be called from many threads at once. After the backend is closed each of them is backend_closed.
// Errors that any of them may give: busy, unavailable, io, corruption.
class Collection {
 public:
  virtual ~Collection() = default;

  // Name, metric, dimension and model as they are stored now.
  virtual Result<CollectionInfo> info() const = 0;

  // Stores new records; one answer per record, in order. All of them or, on error, none; once it returns ok they
  // survive a crash of the machine. Errors: already_exists, invalid_argument, dimension_mismatch, embedder_mismatch.
  virtual Result<std::vector<Written>> add(std::span<const Record> records) = 0;

  // Stores the records, replacing those with the same id; otherwise like add. A record that is replaced keeps its
  // unique key unless it brings another one, and its vector if the document is the same and no new vector is given.
  virtual Result<std::vector<Written>> upsert(std::span<const Record> records) = 0;

  // Changes fields of records that exist. Errors: invalid_argument when an update has no field to change.
  virtual Result<UpdateReport> update(std::span<const RecordUpdate> updates) = 0;

  // Removes what the selection names and says how many there were. Errors: invalid_argument for an empty selection.
  virtual Result<std::size_t> erase(const Selection& selection) = 0;

  // The selected records in insertion order; ids that do not exist are left out.
  virtual Result<std::vector<Record>> get(const GetRequest& request) const = 0;

  // Hands over what get() would return, one record at a time and from one consistent snapshot, so that a large
  // collection need not fit into memory. Stops at the first error that `visit` returns, and returns it. `visit` must
  // not call this collection's writing methods.
  virtual Status scan(const GetRequest& request, const std::function<Status(Record)>& visit) const = 0;

  // For each query the nearest records among those that pass the filters, nearest first, equal distances by id.
  // Errors: invalid_argument, dimension_mismatch, unsupported_filter.
  virtual Result<QueryResult> query(const QueryRequest& request) const = 0;

  // The records that best match the words of the request, best first. Errors: unsupported (see
  // supports_lexical_search), invalid_argument when there is no word to look for.
  virtual Result<std::vector<WordHit>> match(const MatchRequest& request) const = 0;

  // Gives vectors, made by the collection's embedder, to up to `limit` of the records that wait for theirs. Those whose
  // text the embedder refuses count as missing from then on, so that they are not tried for ever. Those that another
  // process is embedding are left to it; an empty step means that nothing is left for this one. Errors:
  // invalid_argument without an embedder; embedder_mismatch, unsupported; and what the embedder gives.
  virtual Result<EmbeddingStep> embed_pending(std::size_t /*limit*/) {
    return Error{ErrorKind::unsupported, "this backend has no queue of records that wait for their vector"};
  }

  // Lets the records whose vector is missing wait for one, and says how many there were.
  virtual Result<std::size_t> queue_missing() { return 0; }

  // How all vectors are given to another model; null when the backend cannot. Lives as long as the collection. Works
  // with the embedder that it is given and not with the collection's.
  virtual Reembedding* reembedding() { return nullptr; }

  // The sources whose names begin with `prefix`, ordered by name: one cheap scan. This and the next two are unsupported
  // by stores that keep no sources.
  virtual Result<std::vector<SourceInfo>> sources(std::string_view /*prefix*/) const { return keeps_no_sources(); }

  // Brings these sources to what they are now; one answer per update, in order. All of them or, on error, none, and
  // durable, as for add. Texts wait for their vectors, whatever the embedder. Errors: invalid_argument.
  virtual Result<std::vector<SourceReport>> replace_sources(std::span<const SourceUpdate> /*updates*/) {
    return keeps_no_sources();
  }

  // Removes sources with all their records, and says how many records there were. Names that are not there are left
  // out. Should such a source come back it is new, but for what a user erased of it.
  virtual Result<std::size_t> erase_sources(std::span<const std::string> /*names*/) { return keeps_no_sources(); }

  // Brings the index for searches by vector up to date where that is worth it, and says how many records it took in.
  // Searches are complete without it, only slower. 0: nothing to do, or another process is at it.
  virtual Result<std::size_t> index_pending() { return 0; }

  virtual Result<std::size_t> count() const = 0;

  // Records counted by the string values of metadata keys (such as wing and room), ordered by those values.
  virtual Result<std::vector<GroupCount>> count_by(std::span<const std::string> keys) const = 0;

  // What changed after `seq`, oldest first, each record once (its latest change). Errors: unsupported.
  virtual Result<std::vector<Change>> changes_since(std::int64_t seq, std::size_t limit) const = 0;

  virtual Health health() const = 0;

 private:
  static Error keeps_no_sources() {
    return {ErrorKind::unsupported, "this backend keeps no sources, which mining needs; use the backend loci"};
  }
};

}  // namespace loci
