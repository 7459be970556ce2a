#include "search/candidates.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "search/drawer_metadata.h"
#include "search/speakers.h"
#include "search/weights.h"
#include "text/exact_match.h"
#include "text/query_words.h"
#include "vector/distance.h"

namespace loci {
namespace {

Candidate& candidate_of(Candidates& candidates, const std::string& id) {
  Candidate& candidate = candidates[id];
  candidate.id = id;
  return candidate;
}

Status add_nearest(const Collection& drawers, const Filter& where, const Embedding& question, DistanceMetric metric,
                   std::size_t count, bool exact, Candidates& candidates) {
  const QueryRequest query = {
      .embeddings = {question}, .n_results = count, .where = where, .include = kIdsOnly, .exact = exact};
  const QueryResult nearest = TRY(drawers.query(query));
  for (const Hit& hit : nearest.hits.front()) {
    Candidate& candidate = candidate_of(candidates, hit.record.id);
    candidate.similarity = similarity_of(metric, hit.distance);
    candidate.is_near = true;
  }
  return ok_status();
}

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

// The drawers that have the term, if they are few; where it stands by itself nowhere, those that have it as a part of
// something longer. The words of the index stand for several spellings, so more drawers match than have the term: they
// are gone through until too many have it.
Result<std::vector<std::string>> few_with_term(const Collection& drawers, const Filter& where,
                                               const std::string& term) {
  constexpr std::size_t kFirstRead = kFewDrawers * 4;
  constexpr std::size_t kMostRead = 10'000;
  const ExactMatcher matcher(term);
  std::vector<std::string> whole;
  std::vector<std::string> part;
  std::size_t seen = 0;
  for (std::size_t count = kFirstRead; seen < kMostRead && whole.size() <= kFewDrawers; count *= 8) {
    const MatchRequest match = {
        .text = "\"" + term + "\"", .n_results = count, .where = where, .include = {.metadatas = false}};
    const std::vector<WordHit> hits = TRY(drawers.match(match));
    for (; seen < hits.size(); ++seen) {
      const Record& record = hits[seen].record;
      const ExactMatch found = matcher.find(record.document);
      if (found == ExactMatch::whole) whole.push_back(record.id);
      if (found == ExactMatch::part) part.push_back(record.id);
    }
    if (hits.size() < count) break;
  }
  std::vector<std::string>& having = whole.empty() ? part : whole;
  if (having.size() > kFewDrawers) having.clear();
  return std::move(having);
}

std::optional<std::int64_t> day_of_drawer(const Metadata& metadata) {
  const auto day = day_of(drawer_metadata::text(metadata, drawer_metadata::kDate));
  return day ? day : day_of(drawer_metadata::text(metadata, drawer_metadata::kFiledAt));
}

}  // namespace

Status add_by_words(const Collection& drawers, const Filter& where, const std::string& question, std::size_t count,
                    Candidates& candidates) {
  if (query_terms(question).empty()) return ok_status();
  const MatchRequest match = {.text = question, .n_results = count, .where = where, .include = kIdsOnly};
  for (const WordHit& hit : TRY(drawers.match(match))) candidate_of(candidates, hit.record.id).words = hit.score;
  return ok_status();
}

Status add_by_meaning(const Collection& drawers, const Filter& where, const MeaningOfQuestion& question,
                      std::size_t count, Candidates& candidates) {
  const DistanceMetric metric = TRY(drawers.info()).metric;
  if (question.as_typed) {
    Candidates as_typed;
    TRY(add_nearest(drawers, where, *question.as_typed, metric, count, question.exact, as_typed));
    for (const auto& [id, candidate] : as_typed) candidate_of(candidates, id).is_near = true;
  }
  TRY(add_nearest(drawers, where, question.vector, metric, count, question.exact, candidates));
  TRY(add_similarities(drawers, question.vector, metric, candidates));
  for (auto& [id, candidate] : candidates) candidate.trust = question.trust;
  return ok_status();
}

Result<std::vector<Record>> best_by_words(const Collection& drawers, const Candidates& candidates) {
  std::vector<const Candidate*> found;
  for (const auto& [id, candidate] : candidates) {
    if (candidate.words > 0) found.push_back(&candidate);
  }
  const auto is_better = [](const Candidate* a, const Candidate* b) {
    return a->words != b->words ? a->words > b->words : a->id < b->id;
  };
  const std::size_t count = std::min(found.size(), kTellingDrawers);
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), found.end(), is_better);
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(found[i]->id);
  if (ids.empty()) return std::vector<Record>();
  return drawers.get({.selection = {.ids = std::move(ids)}, .include = {.documents = false}});
}

Status add_exact(const Collection& drawers, const Filter& where, const QueryFacts& facts, Candidates& candidates) {
  for (const std::string& term : facts.exact_terms) {
    if (query_terms("\"" + term + "\"").empty()) continue;
    for (const std::string& id : TRY(few_with_term(drawers, where, term)))
      candidate_of(candidates, id).exact.push_back(term);
  }
  return ok_status();
}

Filter near_dates(const Filter& where, const QueryFacts& facts) {
  const auto compare = [](std::string_view key, FilterOperator op, std::string value) {
    return Filter::of({.key = std::string(key), .op = op, .operands = {std::move(value)}});
  };
  const auto margin = [](double days) { return static_cast<std::int64_t>(std::lround(days)); };
  // Every text contains the empty one, so this says that there is no date.
  const Filter undated = compare(drawer_metadata::kDate, FilterOperator::not_contains, "");
  std::vector<Filter> ranges;
  for (const DateRange& range : facts.dates) {
    const std::string from = to_date(range.first_day - margin(kDaysBefore));
    const std::string before = to_date(range.last_day + margin(kDaysAfter) + 1);
    ranges.push_back(Filter::all_of({compare(drawer_metadata::kDate, FilterOperator::gte, from),
                                     compare(drawer_metadata::kDate, FilterOperator::lt, before)}));
    ranges.push_back(Filter::all_of({undated, compare(drawer_metadata::kFiledAt, FilterOperator::gte, from),
                                     compare(drawer_metadata::kFiledAt, FilterOperator::lt, before)}));
  }
  Filter dated = Filter::any_of(std::move(ranges));
  if (where.is_empty()) return dated;
  return Filter::all_of({where, std::move(dated)});
}

Status add_metadata(const Collection& drawers, const QueryFacts& facts, Candidates& candidates) {
  std::vector<std::string> ids;
  for (const auto& [id, candidate] : candidates) ids.push_back(id);
  if (ids.empty()) return ok_status();
  const GetRequest get = {.selection = {.ids = std::move(ids)}, .include = {.documents = false}};
  for (const Record& record : TRY(drawers.get(get))) {
    Candidate& candidate = candidates[record.id];
    candidate.source = drawer_metadata::text(record.metadata, drawer_metadata::kSource);
    if (const auto day = day_of_drawer(record.metadata)) candidate.date = nearness(facts.dates, *day);
    const std::vector<std::string> names = speaker_names(record.metadata);
    candidate.place = share_of_places(facts.places, record.metadata);
    candidate.is_told =
        std::find_first_of(names.begin(), names.end(), facts.speakers.begin(), facts.speakers.end()) != names.end();
  }
  return ok_status();
}

}  // namespace loci
