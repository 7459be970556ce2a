// The checks that every backend makes alike before it touches its store, so that the same bad input gets the same error
// everywhere. Rule numbers (C1, F3, …) are those of docs/storage_contract.md. Pure functions; any thread may call them.
//
// Messages name the record and say what to do: `record "a1" has 384 dimensions; the collection has 768`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "loci/backend.h"
#include "loci/collection.h"
#include "loci/filter.h"
#include "loci/record.h"
#include "loci/result.h"

namespace loci {

inline constexpr std::size_t kMaxIdBytes = 1024;
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxMetadataBytes = std::size_t{64} << 20;  // keys and values of one record together
inline constexpr std::size_t kMaxCollectionNameBytes = 255;

// Bounds that keep a hostile filter from exhausting the stack, or a database's limits on expressions and parameters.
inline constexpr std::size_t kMaxFilterDepth = 64;         // a condition alone has depth 1
inline constexpr std::size_t kMaxFilterConditions = 500;   // leaves of the tree
inline constexpr std::size_t kMaxFilterOperands = 10'000;  // of all conditions together
inline constexpr std::size_t kMaxFilterJsonBytes = std::size_t{4} << 20;

// An id for a message: in quotes, cut when it is long, with what is not printable ASCII or UTF-8 shown as \xNN.
std::string in_quotes(std::string_view text);

// For a part of Upkeep that a backend does not have: `what` goes on "the backend loci …".
Error unsupported_upkeep(const BackendInfo& info, std::string_view what);

// For creating a collection that must be new.
Error collection_exists(std::string_view name);

// C1: what a backend accepts beyond the rules that all share. From its capabilities: `write_limits(info)`.
enum class ListMetadata { accepted, refused };
struct WriteLimits {
  ListMetadata list_metadata = ListMetadata::accepted;
  std::optional<std::size_t> max_batch = {};
};
WriteLimits write_limits(const BackendInfo& info);

// F2: which optional operators a backend has. From its capabilities: `filter_limits(info)`.
enum class RangeFilters { accepted, refused };
struct FilterLimits {
  RangeFilters range = RangeFilters::accepted;
};
FilterLimits filter_limits(const BackendInfo& info);

// C1, C3, E2: ids, texts, metadata, details and vectors of a batch; no id twice; all vectors of one dimension. An empty
// batch is fine. Errors: invalid_argument; dimension_mismatch when the vectors of the batch disagree.
Status check_records(std::span<const Record> records, const WriteLimits& limits = {});

// C2: as check_records, and each update changes something.
Status check_updates(std::span<const RecordUpdate> updates, const WriteLimits& limits = {});

// E2: the vectors of a batch against the collection's dimension. Errors: dimension_mismatch, naming both.
Status check_dimension(std::span<const Record> records, std::size_t dimension);
Status check_dimension(std::span<const RecordUpdate> updates, std::size_t dimension);
Status check_dimension(std::span<const Embedding> queries, std::size_t dimension);

// The dimension that a batch brings; absent when no record has a vector.
std::optional<std::size_t> dimension_of(std::span<const Record> records);
std::optional<std::size_t> dimension_of(std::span<const RecordUpdate> updates);

// E2: one vector: not empty, finite, not all zeros. `what` opens the message: `record "a1"`.
Status check_vector(std::span<const float> vector, std::string_view what);

// C1, C3: names, texts, keys and metadata of sources; no source twice in the batch, and no key twice in a source.
// Errors: invalid_argument.
Status check_source_updates(std::span<const SourceUpdate> updates, const WriteLimits& limits = {});

// C1: one id, in a record or in a selection.
Status check_id(std::string_view id);

// F1 to F4, for a tree that may come from code: known operators in their place, the right operands, bounded size, no
// empty part inside (`{"$or": [{}]}` would hold for everything). The empty filter is fine.
// Errors: unsupported_filter, naming the operator; invalid_argument.
Status check_filter(const Filter& filter, const FilterLimits& limits = {});
Status check_filter(const DocumentFilter& filter);

// C5: exactly one of texts and embeddings, not empty; n_results at least 1; vectors and filters.
Status check_query(const QueryRequest& request, const FilterLimits& limits = {});

// The text is not empty and valid; n_results at least 1; filters.
Status check_match(const MatchRequest& request, const FilterLimits& limits = {});

// C7: ids and filters. An empty selection means all records.
Status check_get(const GetRequest& request, const FilterLimits& limits = {});

// C8: as for get, but an empty selection is an error. A list of ids that is there and empty names nothing, and is fine.
Status check_selection_for_erase(const Selection& selection, const FilterLimits& limits = {});

// B3, B4: an id, a folder for local backends (palace_not_found without), no namespace for backends without
// supports_namespace_isolation (unsupported).
Status check_palace(const PalaceRef& palace, const BackendInfo& info);

// 1 to 255 bytes of UTF-8 without control characters.
Status check_collection_name(std::string_view name);

}  // namespace loci
