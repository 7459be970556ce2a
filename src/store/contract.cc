#include "store/contract.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"

namespace loci {
namespace {

Error invalid(std::string message) { return {ErrorKind::invalid_argument, std::move(message)}; }

// Checks run for every record of every write, so they say what is wrong in a constant and leave the message to whoever
// has met a problem. Null: nothing is wrong.
using Problem = const char*;

// C1: valid UTF-8 without NUL.
Problem text_problem(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "has a NUL byte in it";
  if (!is_valid_utf8(text)) return "is not valid UTF-8";
  return nullptr;
}

Problem vector_problem(std::span<const float> vector) {
  if (vector.empty()) return "has a vector without dimensions; leave it out";
  bool is_zero = true;
  for (const float component : vector) {
    if (!std::isfinite(component)) return "has a vector with a NaN or an infinity";
    is_zero = is_zero && component == 0.0F;
  }
  return is_zero ? "has a vector of zeros, which is near to nothing" : nullptr;
}

Status check_text(std::string_view text, std::string_view what) {
  if (const Problem problem = text_problem(text)) return invalid(fmt::format("{} {}", what, problem));
  return ok_status();
}

std::string record_name(std::string_view id) { return fmt::format("record {}", in_quotes(id)); }

Status check_document(std::string_view document, std::string_view id) {
  if (document.size() > kMaxDocumentBytes) {
    return invalid(fmt::format("the document of {} has {} bytes; at most {} are allowed, so split it", record_name(id),
                               document.size(), kMaxDocumentBytes));
  }
  if (const Problem problem = text_problem(document)) {
    return invalid(fmt::format("the document of {} {}", record_name(id), problem));
  }
  return ok_status();
}

// What is wrong with a value; adds its size to `bytes`.
struct ValueCheck {
  ListMetadata lists;
  std::size_t& bytes;

  Problem operator()(const std::string& text) const {
    bytes += text.size();
    return text_problem(text);
  }
  Problem operator()(std::int64_t) const {
    bytes += sizeof(std::int64_t);
    return nullptr;
  }
  Problem operator()(double real) const {
    bytes += sizeof(double);
    return std::isfinite(real) ? nullptr : "is not a finite number";
  }
  Problem operator()(bool) const {
    bytes += sizeof(bool);
    return nullptr;
  }
  template <typename T>
  Problem operator()(const std::vector<T>& list) const {
    if (lists == ListMetadata::refused) return "is a list, which this backend does not keep; join it into a string";
    // An empty list has no type: written as JSON and read back it could be any of the four.
    if (list.empty()) return "is an empty list; leave the key out";
    for (const auto& element : list) {
      if (const Problem problem = (*this)(static_cast<const T&>(element))) return problem;
    }
    return nullptr;
  }
};

Problem key_problem(std::string_view key) {
  if (key.empty()) return "has an empty key";
  if (key.front() == '$') return "has a key that begins with $, which is for filter operators";
  return text_problem(key);
}

Status check_metadata(const Metadata& metadata, std::string_view id, const WriteLimits& limits) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : metadata) {
    Problem problem = key_problem(key);
    if (problem == nullptr) problem = std::visit(ValueCheck{limits.list_metadata, bytes}, value);
    if (problem != nullptr) {
      return invalid(fmt::format("metadata {} of {} {}", in_quotes(key), record_name(id), problem));
    }
    bytes += key.size();
  }
  if (bytes > kMaxMetadataBytes) {
    return invalid(fmt::format("the metadata of {} has {} bytes; at most {} are allowed", record_name(id), bytes,
                               kMaxMetadataBytes));
  }
  return ok_status();
}

bool is_sha256(std::string_view hash) {
  return hash.size() == 64 && hash.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Problem key_problem(const UniqueKey& key) {
  if (key.source.empty()) return "has a unique key without a source";
  if (text_problem(key.source) != nullptr) return "has a source that is not UTF-8 or has a NUL in it";
  if (!is_sha256(key.content_hash)) return "has a content hash that is not a SHA-256 in lower-case hex";
  if (key.occurrence < 0) return "has a negative occurrence";
  return nullptr;
}

Problem link_problem(const Link& link) {
  if (link.kind.empty()) return "has a link without a kind";
  if (text_problem(link.kind) != nullptr) return "has a link whose kind is not UTF-8 or has a NUL in it";
  if (!check_id(link.target_id).ok()) return "has a link whose target is not an id";
  return nullptr;
}

Problem details_problem(const RecordDetails& details) {
  if (details.key) {
    if (const Problem problem = key_problem(*details.key)) return problem;
  }
  for (const Link& link : details.links) {
    if (const Problem problem = link_problem(link)) return problem;
  }
  return details.use_count < 0 ? "has a negative use count" : nullptr;
}

Status check_vector_of(const std::optional<Embedding>& vector, std::string_view id) {
  if (!vector) return ok_status();
  if (const Problem problem = vector_problem(*vector)) {
    return invalid(fmt::format("{} {}", record_name(id), problem));
  }
  return ok_status();
}

Status check_content(const Record& record, const WriteLimits& limits) {
  TRY(check_document(record.document, record.id));
  TRY(check_metadata(record.metadata, record.id, limits));
  TRY(check_vector_of(record.embedding, record.id));
  if (record.details) {
    if (const Problem problem = details_problem(*record.details)) {
      return invalid(fmt::format("{} {}", record_name(record.id), problem));
    }
  }
  return ok_status();
}

Status check_content(const RecordUpdate& update, const WriteLimits& limits) {
  if (!update.document && !update.metadata && !update.embedding) {
    return invalid(fmt::format("the update of {} changes nothing; give a document, metadata or an embedding",
                               record_name(update.id)));
  }
  if (update.document) TRY(check_document(*update.document, update.id));
  if (update.metadata) TRY(check_metadata(*update.metadata, update.id, limits));
  return check_vector_of(update.embedding, update.id);
}

Status check_source_record(const SourceRecord& record, const WriteLimits& limits) {
  if (const Status id = check_id(record.id); !id.ok()) return id;
  if (!is_sha256(record.content_hash)) return invalid("a content hash is not a SHA-256 in lower-case hex");
  if (record.occurrence < 0) return invalid("an occurrence is negative");
  TRY(check_document(record.document, record.id));
  return check_metadata(record.position, record.id, limits);
}

Status check_source(const SourceUpdate& update, const WriteLimits& limits) {
  for (const std::string* name : {&update.name, update.renamed_from ? &*update.renamed_from : &update.name}) {
    if (name->empty()) return invalid("a source has no name");
    TRY(check_text(*name, "the name of a source"));
  }
  TRY(check_text(update.state, "the state"));
  TRY(check_metadata(update.shared, update.name, limits));
  TRY(check_metadata(update.for_new, update.name, limits));
  std::set<std::pair<std::string_view, std::int64_t>> keys;
  for (const SourceRecord& record : update.records) {
    TRY(check_source_record(record, limits));
    if (!keys.emplace(record.content_hash, record.occurrence).second) {
      return invalid(fmt::format("the key of {} is there twice", record_name(record.id)));
    }
  }
  return ok_status();
}

template <typename Item>
const Item* first_with_vector(std::span<const Item> items) {
  const auto found =
      std::find_if(items.begin(), items.end(), [](const Item& item) { return item.embedding.has_value(); });
  return found == items.end() ? nullptr : &*found;
}

template <typename Item>
std::optional<std::size_t> dimension_of_batch(std::span<const Item> items) {
  const Item* first = first_with_vector(items);
  return first == nullptr ? std::nullopt : std::optional(first->embedding->size());
}

// `first`: the record of the batch that set the dimension; null when the collection did.
template <typename Item>
Status check_batch_dimension(std::span<const Item> items, std::size_t dimension, const Item* first) {
  for (const Item& item : items) {
    if (!item.embedding || item.embedding->size() == dimension) continue;
    const std::string whose = first == nullptr ? "the collection" : record_name(first->id) + " of the same batch";
    return Error{ErrorKind::dimension_mismatch, fmt::format("{} has {} dimensions; {} has {}", record_name(item.id),
                                                            item.embedding->size(), whose, dimension)};
  }
  return ok_status();
}

template <typename Item>
Status check_batch(std::span<const Item> items, const WriteLimits& limits) {
  if (limits.max_batch && items.size() > *limits.max_batch) {
    return invalid(fmt::format("the batch has {} records; this backend takes at most {} at once", items.size(),
                               *limits.max_batch));
  }
  std::unordered_set<std::string_view> ids;
  ids.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    if (const Status id = check_id(item.id); !id.ok()) {
      return invalid(fmt::format("record {} of the batch: {}", i + 1, id.error().message));
    }
    if (!ids.insert(item.id).second) return invalid(fmt::format("{} is in the batch twice", record_name(item.id)));
    TRY(check_content(item, limits));
  }
  const Item* first = first_with_vector(items);
  if (first == nullptr) return ok_status();
  return check_batch_dimension(items, first->embedding->size(), first);
}

Status check_selection(const Selection& selection, const FilterLimits& limits) {
  if (selection.ids) {
    for (const std::string& id : *selection.ids) TRY(check_id(id));
  }
  TRY(check_filter(selection.where, limits));
  return check_filter(selection.where_document);
}

Status check_n_results(std::size_t n_results) {
  if (n_results == 0) return invalid("n_results is 0; ask for at least one");
  return ok_status();
}

}  // namespace

Error unsupported_upkeep(const BackendInfo& info, std::string_view what) {
  return {ErrorKind::unsupported, fmt::format("the backend {} {}", info.name, what)};
}

Error collection_exists(std::string_view name) {
  return {ErrorKind::already_exists, fmt::format("the palace has a collection {} already", in_quotes(name))};
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMaxShown = 60;
  const std::string_view shown = text.substr(0, floor_char_boundary(text, kMaxShown));
  const bool is_text = is_valid_utf8(shown);
  std::string out = "\"";
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_control = byte < 0x20 || byte == 0x7f;
    if (is_control || (byte >= 0x80 && !is_text)) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
  if (shown.size() < text.size()) out += fmt::format("… ({} bytes)", text.size());
  return out;
}

WriteLimits write_limits(const BackendInfo& info) {
  return {.list_metadata = info.has(capability::kListMetadata) ? ListMetadata::accepted : ListMetadata::refused,
          .max_batch = info.max_batch};
}

Status check_id(std::string_view id) {
  if (id.empty()) return invalid("the id is empty");
  if (id.size() > kMaxIdBytes) {
    return invalid(fmt::format("the id {} is longer than {} bytes", in_quotes(id), kMaxIdBytes));
  }
  if (const Problem problem = text_problem(id)) return invalid(fmt::format("the id {} {}", in_quotes(id), problem));
  return ok_status();
}

Status check_vector(std::span<const float> vector, std::string_view what) {
  if (const Problem problem = vector_problem(vector)) return invalid(fmt::format("{} {}", what, problem));
  return ok_status();
}

Status check_records(std::span<const Record> records, const WriteLimits& limits) {
  return check_batch(records, limits);
}

Status check_updates(std::span<const RecordUpdate> updates, const WriteLimits& limits) {
  return check_batch(updates, limits);
}

Status check_source_updates(std::span<const SourceUpdate> updates, const WriteLimits& limits) {
  std::unordered_set<std::string_view> names;
  for (const SourceUpdate& update : updates) {
    if (const Status checked = check_source(update, limits); !checked.ok()) {
      return invalid(fmt::format("source {}: {}", in_quotes(update.name), checked.error().message));
    }
    const bool is_new = names.insert(update.name).second;
    if (!is_new || (update.renamed_from && !names.insert(*update.renamed_from).second)) {
      return invalid(fmt::format("source {} is in the batch twice", in_quotes(update.name)));
    }
  }
  return ok_status();
}

std::optional<std::size_t> dimension_of(std::span<const Record> records) { return dimension_of_batch(records); }
std::optional<std::size_t> dimension_of(std::span<const RecordUpdate> updates) { return dimension_of_batch(updates); }

Status check_dimension(std::span<const Record> records, std::size_t dimension) {
  return check_batch_dimension<Record>(records, dimension, nullptr);
}

Status check_dimension(std::span<const RecordUpdate> updates, std::size_t dimension) {
  return check_batch_dimension<RecordUpdate>(updates, dimension, nullptr);
}

Status check_dimension(std::span<const Embedding> queries, std::size_t dimension) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (queries[i].size() != dimension) {
      return Error{ErrorKind::dimension_mismatch, fmt::format("query {} has {} dimensions; the collection has {}",
                                                              i + 1, queries[i].size(), dimension)};
    }
  }
  return ok_status();
}

Status check_query(const QueryRequest& request, const FilterLimits& limits) {
  if (request.texts.empty() && request.embeddings.empty()) {
    return invalid("the query is empty; give texts or embeddings");
  }
  if (!request.texts.empty() && !request.embeddings.empty()) {
    return invalid("the query has both texts and embeddings; give one of them");
  }
  TRY(check_n_results(request.n_results));
  for (std::size_t i = 0; i < request.texts.size(); ++i) {
    if (request.texts[i].empty()) return invalid(fmt::format("query {} is an empty text", i + 1));
    TRY(check_text(request.texts[i], fmt::format("query {}", i + 1)));
  }
  for (std::size_t i = 0; i < request.embeddings.size(); ++i) {
    TRY(check_vector(request.embeddings[i], fmt::format("query {}", i + 1)));
  }
  TRY(check_filter(request.where, limits));
  return check_filter(request.where_document);
}

Status check_match(const MatchRequest& request, const FilterLimits& limits) {
  if (request.text.empty()) return invalid("the text to look for is empty");
  TRY(check_text(request.text, "the text to look for"));
  TRY(check_n_results(request.n_results));
  TRY(check_filter(request.where, limits));
  return check_filter(request.where_document);
}

Status check_get(const GetRequest& request, const FilterLimits& limits) {
  return check_selection(request.selection, limits);
}

Status check_selection_for_erase(const Selection& selection, const FilterLimits& limits) {
  if (selection.is_empty()) return invalid("nothing is selected; name ids or a filter");
  return check_selection(selection, limits);
}

Status check_palace(const PalaceRef& palace, const BackendInfo& info) {
  if (palace.id.empty()) return invalid("the palace has no id");
  TRY(check_text(palace.id, fmt::format("the palace id {}", in_quotes(palace.id))));
  if (palace.palace_namespace) {
    if (!info.has(capability::kNamespaceIsolation)) {
      return Error{ErrorKind::unsupported,
                   fmt::format("backend {} has no namespaces; palace {} has the namespace {}", info.name,
                               in_quotes(palace.id), in_quotes(*palace.palace_namespace))};
    }
    if (palace.palace_namespace->empty()) return invalid("the namespace of the palace is empty; leave it out");
    TRY(check_text(*palace.palace_namespace, fmt::format("the namespace {}", in_quotes(*palace.palace_namespace))));
  }
  if (info.has(capability::kLocalMode) && !info.has(capability::kServerMode) &&
      (!palace.local_path || palace.local_path->empty())) {
    return Error{ErrorKind::palace_not_found,
                 fmt::format("backend {} needs a folder for palace {}", info.name, in_quotes(palace.id))};
  }
  return ok_status();
}

Status check_collection_name(std::string_view name) {
  if (name.empty()) return invalid("the name of the collection is empty");
  if (name.size() > kMaxCollectionNameBytes) {
    return invalid(fmt::format("the name of the collection, {}, is longer than {} bytes", in_quotes(name),
                               kMaxCollectionNameBytes));
  }
  const bool has_control =
      std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (has_control)
    return invalid(fmt::format("the name of the collection, {}, has a control character", in_quotes(name)));
  return check_text(name, fmt::format("the name of the collection, {},", in_quotes(name)));
}

}  // namespace loci
