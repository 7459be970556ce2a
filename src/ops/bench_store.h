// What benches do with a store: rows of a file as records, queries by vector, and waiting for work in the background.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loci/backend.h"
#include "ops/bench_measure.h"
#include "ops/vector_file.h"

namespace loci {

inline constexpr std::string_view kBenchCollection = "vectors";
inline constexpr std::size_t kBenchNeighbours = 10;

// Row numbers as ids, so that equal distances come in the order of the file: "row-00000042".
std::string id_of_row(std::size_t row);
std::size_t row_of_id(std::string_view id);

// Does the row belong to the part that a filter keeps? Parts of any size are spread evenly over the file.
bool is_in_part(std::size_t row, double fraction);
// The filter for it.
Filter part_filter();

// Stores every row, with the mark of the part where there is one, in batches that are durable one by one.
Status store_rows(Collection& collection, const VectorFile& base, std::optional<double> fraction,
                  const BenchProgress& progress);

// The rows nearest to a query, as the store finds them.
Result<std::vector<std::size_t>> nearest_rows(const Collection& collection, std::span<const float> query,
                                              const Filter& where = {});

// One step of what the store otherwise does in the background. Returns the seconds until it was published; 0 when there
// was nothing to do.
Result<double> index_step(Collection& collection, const BenchProgress& progress);
// All of them.
Result<double> build_index(Collection& collection, const BenchProgress& progress);

// The number under this name in a state; 0 when there is none.
std::int64_t number_in(const Metadata& state, std::string_view key);

}  // namespace loci
