#include "store/embedded/row_search.h"

#include <string>

#include "store/embedded/checksum.h"
#include "store/embedded/vector_blob.h"

namespace loci::embedded {

Result<float> measure_stored(const DistanceTo& distance, std::size_t dimension, std::int64_t row, std::string_view id,
                             const Statement& statement, int vector_column, int checksum_column) {
  const std::span<const std::uint8_t> blob = statement.blob(vector_column);
  if (!is_intact(statement, checksum_column, blob_checksum(row, blob))) return damaged_record(id, "vector");
  if (blob.size() != dimension * sizeof(float)) {
    return Error{ErrorKind::corruption, "a stored vector has " + std::to_string(blob.size() / sizeof(float)) +
                                            " dimensions instead of " + std::to_string(dimension) +
                                            "; run `loci verify --deep`"};
  }
  return distance(from_blob(blob));
}

Status offer_rows(Connection& connection, const RowScope& scope, std::span<const Embedding> queries,
                  std::span<const DistanceTo> distances, std::vector<NearestRows>& nearest) {
  Statement select = TRY(connection.prepare("SELECT r.row, r.id, v.embedding, v.checksum FROM " +
                                            scope.from("JOIN vectors v ON v.row = r.row")));
  scope.bind(select);
  while (TRY(select.step())) {
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const float distance =
          TRY(measure_stored(distances[i], queries[i].size(), select.integer(0), select.text(1), select, 2, 3));
      nearest[i].offer(distance, select.text(1), select.integer(0));
    }
  }
  return {};
}

Result<std::vector<std::vector<RankedRow>>> nearest_rows(Connection& connection, const RowScope& scope,
                                                         DistanceMetric metric, std::span<const Embedding> queries,
                                                         std::size_t n_results) {
  std::vector<DistanceTo> distances;
  for (const Embedding& query : queries) distances.emplace_back(metric, query);
  std::vector<NearestRows> nearest(queries.size(), NearestRows(n_results));
  TRY(offer_rows(connection, scope, queries, distances, nearest));
  std::vector<std::vector<RankedRow>> ranked;
  for (NearestRows& rows : nearest) ranked.push_back(std::move(rows).sorted());
  return ranked;
}

}  // namespace loci::embedded
