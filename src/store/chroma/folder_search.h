// The nearest records of a Chroma folder, by exact distance.
#pragma once

#include <vector>

#include "loci/collection.h"
#include "loci/result.h"
#include "store/chroma/recovery.h"
#include "store/chroma/vector_index.h"

namespace loci::chroma {

struct FoundRecord {
  std::size_t record = 0;  // in Recovered::records
  float distance = 0;
};

// For each query the nearest of the records for which `passes` holds (null: all), nearest first, equal ones by id. With
// an index (or null) not every record is measured where all of them are asked about.
Result<std::vector<std::vector<FoundRecord>>> nearest_records(Connection& connection, const Recovered& recovered,
                                                              DistanceMetric metric,
                                                              const std::vector<Embedding>& queries,
                                                              std::size_t n_results, const std::vector<bool>* passes,
                                                              const VectorIndex* index);

}  // namespace loci::chroma
