// Comparing a palace with the one that it was migrated from (V5 of docs/storage_contract.md).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "loci/backend.h"
#include "loci/result.h"

namespace loci {

enum class CompareVectors { compare, leave_out };

struct CompareRequest {
  PalaceRef palace;
  PalaceRef source;
  CompareVectors vectors = CompareVectors::compare;
};

struct Difference {
  std::string collection;
  std::string id;    // empty: the whole collection
  std::string what;  // "is not here", "has another text", …
};

struct CompareReport {
  std::size_t collections = 0;
  std::size_t records = 0;         // of the source
  std::size_t equal = 0;           // same id, text and metadata, and vectors whose cosine is at least 0.999
  std::size_t vectors = 0;         // compared
  std::size_t without_vector = 0;  // in the source
  std::size_t only_here = 0;       // records that the source does not have; no difference
  std::size_t differences = 0;
  std::vector<Difference> shown = {};  // the first of them
};

// Reads both and changes neither. Records of the palace that the source lacks are counted and no difference: they came
// later. Errors: unavailable when `is_cancelled`; what the backends give.
Result<CompareReport> compare_palaces(Backend& backend, Backend& source, const CompareRequest& request,
                                      const std::function<bool(const CompareReport&)>& is_cancelled = {});

}  // namespace loci
