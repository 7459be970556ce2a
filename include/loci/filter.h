// Filter: which records a search, a get or an erase is about.
//
// The JSON dialect is the one that Chroma and MemPalace users know:
//   {"wing": "work"}   {"year": {"$gte": 2020}}   {"$and": [{…}, {…}]}   {"tags": {"$contains": "urgent"}}
// and for documents {"$contains": "some words"}, {"$not_contains": "…"}, {"$or": [{…}, {…}]}.
// An unknown operator is an error at any depth; nothing of a filter is ever dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "loci/metadata.h"
#include "loci/result.h"

namespace loci {

enum class FilterOperator { eq, ne, in, nin, gt, gte, lt, lte, contains, not_contains };

// "$eq", "$not_contains", …
std::string_view to_string(FilterOperator op);

// A condition on one metadata value. `in` and `nin` take a list of scalars, all others one scalar. `contains` asks
// whether a list has that element, or a string that part. `ne`, `nin` and `not_contains` hold for records that lack the
// key, and are the opposite of `eq`, `in` and `contains` for all others. `gt` and its kin compare numbers with numbers
// and strings with strings, by bytes; nothing else has an order. No list equals a scalar.
struct Condition {
  std::string key;
  FilterOperator op = FilterOperator::eq;
  std::vector<MetadataValue> operands;  // scalars only

  friend bool operator==(const Condition&, const Condition&) = default;
};

// A condition on the document's text, `contains` or `not_contains`, by bytes.
struct TextCondition {
  FilterOperator op = FilterOperator::contains;
  std::string text;

  friend bool operator==(const TextCondition&, const TextCondition&) = default;
};

// A tree whose leaves are conditions. The default-constructed filter holds for every record.
template <typename Leaf>
struct FilterTree {
  enum class Kind { all, any, leaf };  // all: every child holds (none: true); any: at least one child holds

  Kind kind = Kind::all;
  std::vector<FilterTree> children;
  Leaf leaf;

  bool is_empty() const { return kind == Kind::all && children.empty(); }

  static FilterTree of(Leaf condition) { return {.kind = Kind::leaf, .children = {}, .leaf = std::move(condition)}; }
  static FilterTree all_of(std::vector<FilterTree> parts) {
    return {.kind = Kind::all, .children = std::move(parts), .leaf = {}};
  }
  static FilterTree any_of(std::vector<FilterTree> parts) {
    return {.kind = Kind::any, .children = std::move(parts), .leaf = {}};
  }

  friend bool operator==(const FilterTree&, const FilterTree&) = default;
};

using Filter = FilterTree<Condition>;              // `where`
using DocumentFilter = FilterTree<TextCondition>;  // `where_document`

// Does the filter hold for this record? The one meaning of a filter; backends that push filters into a search must
// agree with it. Expects a filter that passed check_filter (store/contract.h).
bool matches(const Filter& filter, const Metadata& metadata);
bool matches(const DocumentFilter& filter, std::string_view document);

// Does the condition hold for this value (null: the record lacks the key)?
bool matches(const Condition& condition, const MetadataValue* value);

// From the JSON dialect. Errors: unsupported_filter, naming the operator; invalid_argument for what is not a filter.
Result<Filter> parse_filter(std::string_view json);
Result<DocumentFilter> parse_document_filter(std::string_view json);

// To the JSON dialect; parsing it gives an equal filter. An empty filter prints as "{}".
std::string to_json(const Filter& filter);
std::string to_json(const DocumentFilter& filter);

}  // namespace loci
