#include "search/hybrid_search.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "search/clean_query.h"
#include "search/fusion.h"
#include "text/query_words.h"
#include "vector/distance.h"

namespace loci {
namespace {

// Each side hands over more than is asked for: what is tenth by words may be first in all.
constexpr std::size_t kFewestCandidates = 100;
constexpr std::size_t kCandidatesPerHit = 5;

constexpr Include kIdsOnly = {.documents = false, .metadatas = false};

using Candidates = std::unordered_map<std::string, Candidate>;

Status add_by_words(const Collection& drawers, const SearchRequest& request, const std::string& question,
                    std::size_t count, Candidates& candidates) {
  if (query_terms(question).empty()) return ok_status();
  const MatchRequest match = {.text = question, .n_results = count, .where = request.where, .include = kIdsOnly};
  for (WordHit& hit : TRY(drawers.match(match))) {
    Candidate& candidate = candidates[hit.record.id];
    candidate.id = std::move(hit.record.id);
    candidate.words = hit.score;
  }
  return ok_status();
}

Status add_nearest(const Collection& drawers, const SearchRequest& request, const Embedding& question,
                   DistanceMetric metric, std::size_t count, Candidates& candidates) {
  const QueryRequest query = {
      .embeddings = {question}, .n_results = count, .where = request.where, .include = kIdsOnly};
  QueryResult nearest = TRY(drawers.query(query));
  for (Hit& hit : nearest.hits.front()) {
    Candidate& candidate = candidates[hit.record.id];
    candidate.id = std::move(hit.record.id);
    candidate.similarity = similarity_of(metric, hit.distance);
  }
  return ok_status();
}

// Those that only the words found may have a vector all the same; without its similarity they would be ranked too low.
Status add_similarities(const Collection& drawers, const Embedding& question, DistanceMetric metric,
                        Candidates& candidates) {
  std::vector<std::string> ids;
  for (const auto& [id, candidate] : candidates) {
    if (!candidate.similarity) ids.push_back(id);
  }
  if (ids.empty()) return ok_status();
  const DistanceTo distance(metric, question);
  const GetRequest get = {.selection = {.ids = std::move(ids)},
                          .include = {.documents = false, .metadatas = false, .embeddings = true}};
  for (const Record& record : TRY(drawers.get(get))) {
    if (record.embedding && record.embedding->size() == question.size())
      candidates[record.id].similarity = similarity_of(metric, distance(*record.embedding));
  }
  return ok_status();
}

Status add_by_meaning(const Collection& drawers, const SearchRequest& request, const Embedding& question,
                      std::size_t count, Candidates& candidates) {
  const DistanceMetric metric = TRY(drawers.info()).metric;
  TRY(add_nearest(drawers, request, question, metric, count, candidates));
  return add_similarities(drawers, question, metric, candidates);
}

// The best candidates with their records. A record that was removed in the meantime is left out.
Result<std::vector<SearchHit>> fetch(const Collection& drawers, const std::vector<Candidate>& best) {
  std::vector<std::string> ids;
  for (const Candidate& candidate : best) ids.push_back(candidate.id);
  std::unordered_map<std::string, Record> records;
  for (Record& record : TRY(drawers.get({.selection = {.ids = std::move(ids)}}))) {
    std::string id = record.id;
    records.emplace(std::move(id), std::move(record));
  }
  std::vector<SearchHit> hits;
  for (const Candidate& candidate : best) {
    const auto found = records.find(candidate.id);
    if (found == records.end()) continue;
    hits.push_back({.record = std::move(found->second),
                    .score = candidate.score(),
                    .similarity = candidate.similarity,
                    .words = candidate.words});
  }
  return hits;
}

// Keeps the best of several hits with the same text; it says where else the text is.
std::vector<SearchHit> fold_equal_texts(std::vector<SearchHit> hits, std::size_t limit) {
  std::vector<SearchHit> kept;
  std::unordered_map<std::string, std::size_t> by_text;
  for (SearchHit& hit : hits) {
    const auto [same, is_new] = by_text.emplace(hit.record.document, kept.size());
    if (!is_new) {
      kept[same->second].also_in.push_back(std::move(hit.record.id));
    } else if (kept.size() < limit) {
      kept.push_back(std::move(hit));
    } else {
      by_text.erase(same);
    }
  }
  return kept;
}

}  // namespace

Result<SearchAnswer> hybrid_search(const Collection& drawers, const Embedder* embedder, const SearchRequest& request) {
  SearchAnswer answer = {.searched_for = std::string(clean_query(request.query)), .hits = {}};
  const std::string& question = answer.searched_for;
  const bool has_words = !query_terms(question).empty();
  if (question.empty()) return Error{ErrorKind::invalid_argument, "the query is empty"};
  if (!has_words && embedder == nullptr) return Error{ErrorKind::invalid_argument, "the query has no word to look for"};

  const std::size_t count = std::max(kFewestCandidates, request.limit * kCandidatesPerHit);
  Candidates candidates;
  TRY(add_by_words(drawers, request, question, count, candidates));
  if (embedder != nullptr) {
    const Result<std::vector<Embedding>> vector = embedder->embed(std::vector{question});
    if (!vector.ok() && !has_words) return vector.error();
    if (!vector.ok()) answer.embedder_error = vector.error();
    if (vector.ok()) TRY(add_by_meaning(drawers, request, vector->front(), count, candidates));
  }

  std::vector<Candidate> all;
  for (auto& [id, candidate] : candidates) all.push_back(std::move(candidate));
  // A few more than asked for, since equal texts fold into one.
  const std::vector<Candidate> best = best_of(std::move(all), request.limit * 2);
  answer.hits = fold_equal_texts(TRY(fetch(drawers, best)), request.limit);
  for (SearchHit& hit : answer.hits) hit.highlights = highlights(hit.record.document, question);
  return answer;
}

}  // namespace loci
