#include "store/embedded/row_search.h"

#include <algorithm>
#include <string>

#include "store/embedded/checksum.h"
#include "store/embedded/schema.h"
#include "store/embedded/vector_blob.h"
#include "store/embedded/word_rank.h"
#include "text/query_words.h"

namespace loci::embedded {

Result<float> measure_stored(const DistanceTo& distance, std::size_t dimension, std::int64_t row, std::string_view id,
                             const Statement& statement, int vector_column, int checksum_column) {
  const std::span<const std::uint8_t> blob = statement.blob(vector_column);
  if (!is_intact(statement, checksum_column, blob_checksum(row, blob))) return damaged_record(id, "vector");
  if (blob.size() != dimension * sizeof(float)) {
    return Error{ErrorKind::corruption, "a stored vector has " + std::to_string(blob.size() / sizeof(float)) +
                                            " dimensions instead of " + std::to_string(dimension) +
                                            "; run `loci verify`"};
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

Result<std::vector<RankedRow>> matching_rows(Connection& connection, std::int64_t collection, const RowScope& scope,
                                             std::string_view text, std::size_t n_results) {
  const std::string query = fts5_any_word_query(text);
  if (query.empty()) return Error{ErrorKind::invalid_argument, "the query has no word to look for"};
  const std::string words = words_table(collection);
  // FTS5 yields rows best first; the filter then takes from them until there are enough.
  std::string sql = "SELECT w.rowid, -w.rank FROM " + words + " w";
  sql += " WHERE w." + words + " MATCH ?10 AND w.rank MATCH '" + std::string(kWordRank) + "()'";
  if (!scope.is_whole_collection()) sql += " AND w.rowid IN (SELECT r.row FROM " + scope.from() + ")";
  sql += " ORDER BY w.rank LIMIT ?11";
  Statement select = TRY(connection.prepare(sql));
  if (!scope.is_whole_collection()) scope.bind(select);
  select.bind(10, query).bind(11, static_cast<std::int64_t>(std::min<std::size_t>(n_results, INT64_MAX)));
  std::vector<RankedRow> ranked;
  while (TRY(select.step())) ranked.push_back({select.integer(0), select.real(1)});
  return ranked;
}

}  // namespace loci::embedded
