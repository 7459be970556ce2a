#include "store/embedded/row_search.h"

#include <algorithm>
#include <string>

#include "store/embedded/checksum.h"
#include "store/embedded/schema.h"
#include "store/embedded/vector_blob.h"
#include "store/embedded/word_rank.h"
#include "text/query_words.h"
#include "vector/distance.h"

namespace loci::embedded {
namespace {

struct Candidate {
  float distance;
  std::string id;
  std::int64_t row;

  // The order of the answer, so that the same question gives the same answer twice.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    return a.id < b.id;
  }
};

// The n best candidates seen so far, as a heap whose top is the worst of them.
class BestCandidates {
 public:
  explicit BestCandidates(std::size_t size) : size_(size) {}

  void offer(float distance, std::string_view id, std::int64_t row) {
    if (heap_.size() == size_) {
      const Candidate& worst = heap_.front();
      if (distance > worst.distance || (distance == worst.distance && id >= worst.id)) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
    heap_.push_back({distance, std::string(id), row});
    std::push_heap(heap_.begin(), heap_.end());
  }

  std::vector<RankedRow> sorted() && {
    std::sort_heap(heap_.begin(), heap_.end());
    std::vector<RankedRow> rows;
    for (const Candidate& candidate : heap_) rows.push_back({candidate.row, candidate.distance});
    return rows;
  }

 private:
  std::size_t size_;
  std::vector<Candidate> heap_;
};

}  // namespace

Result<std::vector<std::vector<RankedRow>>> nearest_rows(Connection& connection, const RowScope& scope,
                                                         DistanceMetric metric, std::span<const Embedding> queries,
                                                         std::size_t n_results) {
  std::vector<DistanceTo> distances;
  std::vector<BestCandidates> best;
  for (const Embedding& query : queries) {
    distances.emplace_back(metric, query);
    best.emplace_back(n_results);
  }
  Statement select = TRY(connection.prepare("SELECT r.row, r.id, v.embedding, v.checksum FROM " +
                                            scope.from("JOIN vectors v ON v.row = r.row")));
  scope.bind(select);
  Embedding vector;
  while (TRY(select.step())) {
    if (!is_intact(select, 3, blob_checksum(select.integer(0), select.blob(2))))
      return damaged_record(select.text(1), "vector");
    vector = from_blob(select.blob(2));
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (vector.size() != queries[i].size()) {
        return Error{ErrorKind::corruption, "a stored vector has " + std::to_string(vector.size()) +
                                                " dimensions instead of " + std::to_string(queries[i].size()) +
                                                "; run `loci verify`"};
      }
      best[i].offer(distances[i](vector), select.text(1), select.integer(0));
    }
  }
  std::vector<std::vector<RankedRow>> ranked;
  for (BestCandidates& candidates : best) ranked.push_back(std::move(candidates).sorted());
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
