#include "search/hybrid_search.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>
#include <utility>

#include "search/candidates.h"
#include "search/clean_query.h"
#include "search/fusion.h"
#include "search/places.h"
#include "search/pooling.h"
#include "search/quoted_phrases.h"
#include "search/source_words.h"
#include "search/speakers.h"
#include "search/understand_query.h"
#include "search/weights.h"
#include "text/query_words.h"

namespace loci {
namespace {

// Of the drawers that have the very text of a hit so many are named; and so many candidates are looked at for other
// texts behind them.
constexpr std::size_t kMostCopiesNamed = 10;
constexpr std::size_t kMostBehindCopies = 10'000;

bool has_stage(const SearchRequest& request, SearchStage stage) {
  return std::find(request.without.begin(), request.without.end(), stage) == request.without.end();
}

CleanQuery question_of(const SearchRequest& request) {
  return has_stage(request, SearchStage::clean_query) ? clean_query(request.query) : CleanQuery{request.query, true};
}

QueryFacts facts_of(const SearchRequest& request, const std::string& question) {
  QueryFacts facts = understand_query(question, request.today);
  if (!has_stage(request, SearchStage::dates)) facts.dates.clear();
  if (!has_stage(request, SearchStage::exact)) facts.exact_terms.clear();
  return facts;
}

// What the question is looked for with: its words, its meaning where there is an embedder, and what else it says.
struct Question {
  std::string typed;
  std::string text;  // the same without the quotes of phrases that nothing has: what its words are looked for with
  bool has_words = false;
  bool only_words_rank = false;  // there is neither meaning nor any other sign
  std::optional<MeaningOfQuestion> meaning = {};
  QueryFacts facts = {};
};

std::size_t candidates_for(const SearchRequest& request, const Question& question) {
  if (question.only_words_rank) return request.limit * kCandidatesPerHitByWords;
  const std::size_t each = request.unit == SearchUnit::sources ? kCandidatesPerSource : kCandidatesPerHit;
  const std::size_t most = std::max(kMostCandidates, request.limit);
  return std::clamp(request.limit * each, kFewestCandidates, most);
}

Status add_words(const Collection& drawers, const Filter& where, const Question& question, std::size_t count,
                 Candidates& candidates) {
  if (!question.has_words) return ok_status();
  TRY(add_exact(drawers, where, question.facts, candidates));
  return add_by_words(drawers, where, question.text, count, candidates);
}

// Who speaks, and which places there are, is read from what the words found. Speakers matter to the meaning only.
Status add_names(const Collection& drawers, const SearchRequest& request, const Candidates& candidates,
                 bool has_meaning, Question& question) {
  const std::vector<Record> best = TRY(best_by_words(drawers, candidates));
  if (has_meaning && has_stage(request, SearchStage::speakers))
    question.facts.speakers = named_speakers(best, question.text);
  if (has_stage(request, SearchStage::places)) question.facts.places = TRY(named_places(drawers, question.text, best));
  return ok_status();
}

// In the first person where somebody is named who speaks in what the words found.
Status embed_question(const Embedder& embedder, std::optional<std::size_t> dimension, Question& question,
                      SearchAnswer& answer) {
  std::vector<std::string> texts = {question.typed};
  if (!question.facts.speakers.empty()) {
    answer.told_as = in_first_person(question.typed, question.facts.speakers);
    texts.push_back(*answer.told_as);
  }
  Result<std::vector<Embedding>> vectors = embedder.embed(texts);
  if (vectors.ok() && dimension && vectors->back().size() != *dimension)
    vectors = other_dimension(*dimension, embedder.model_name(), vectors->back().size());
  if (!vectors.ok() && !question.has_words) return vectors.error();
  if (!vectors.ok()) {
    answer.embedder_error = vectors.error();
    return ok_status();
  }
  question.meaning = {.vector = std::move(vectors->back())};
  if (texts.size() > 1) question.meaning->as_typed = std::move(vectors->front());
  answer.readable_share = embedder.readable_share(question.typed);
  // Where no words rank beside it, meaning is all there is.
  if (question.has_words) question.meaning->trust = trust_in_meaning(answer.readable_share);
  return ok_status();
}

// Everything that has a sign of being meant. `candidates` are those that the words found.
Result<std::vector<Candidate>> with_all_signs(const Collection& drawers, const SearchRequest& request,
                                              const Question& question, std::size_t count, Candidates candidates) {
  if (question.meaning) TRY(add_by_meaning(drawers, request.where, *question.meaning, count, candidates));
  // What was said on the day in question may be far down in the whole collection.
  if (!question.facts.dates.empty()) {
    const Filter where = near_dates(request.where, question.facts);
    if (question.has_words) TRY(add_by_words(drawers, where, question.text, kFewestCandidates, candidates));
    if (question.meaning) TRY(add_by_meaning(drawers, where, *question.meaning, kFewestCandidates, candidates));
  }
  // So may be what stands in a place that is named.
  if (!question.facts.places.is_empty()) {
    const Filter where = in_places(request.where, question.facts.places);
    if (question.has_words) TRY(add_by_words(drawers, where, question.text, kFewestCandidates, candidates));
    if (question.meaning) TRY(add_by_meaning(drawers, where, *question.meaning, kFewestCandidates, candidates));
  }
  const bool asks_metadata =
      !question.facts.dates.empty() || !question.facts.speakers.empty() || !question.facts.places.is_empty();
  if (asks_metadata || request.unit == SearchUnit::sources) TRY(add_metadata(drawers, question.facts, candidates));
  if (request.unit == SearchUnit::sources && question.has_words && has_stage(request, SearchStage::source_words))
    TRY(add_source_words(drawers, question.text, candidates));
  std::vector<Candidate> all;
  for (auto& [id, candidate] : candidates) all.push_back(std::move(candidate));
  if (request.unit == SearchUnit::drawers) return all;
  const bool is_soft = has_stage(request, SearchStage::pooling);
  return pool_by_source(std::move(all), is_soft ? Pooling::of_all : Pooling::best_drawer);
}

// The best candidates with their records. A record that was removed in the meantime is left out.
Result<std::vector<SearchHit>> fetch(const Collection& drawers, std::span<const Candidate> best) {
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
                    .parts = candidate.parts(),
                    .similarity = candidate.similarity,
                    .is_near = candidate.is_near,
                    .words = candidate.words,
                    .date = candidate.date,
                    .is_told = candidate.is_told,
                    .exact = candidate.exact});
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
      SearchHit& best = kept[same->second];
      ++best.copies;
      if (best.also_in.size() < kMostCopiesNamed) best.also_in.push_back(std::move(hit.record.id));
    } else if (kept.size() < limit) {
      kept.push_back(std::move(hit));
    } else {
      by_text.erase(same);
    }
  }
  return kept;
}

// The first `limit` of the ranked. Equal texts fold into one, so that more and more are read until there are enough.
Result<std::vector<SearchHit>> first_of(const Collection& drawers, std::span<const Candidate> ranked,
                                        const SearchRequest& request) {
  std::vector<SearchHit> hits;
  for (std::size_t count = request.limit * 2; !ranked.empty() && hits.size() < request.limit; count *= 2) {
    const std::span<const Candidate> next = ranked.first(std::min(count, ranked.size()));
    std::vector<SearchHit> more = TRY(fetch(drawers, next));
    std::move(more.begin(), more.end(), std::back_inserter(hits));
    if (request.unit == SearchUnit::drawers) hits = fold_equal_texts(std::move(hits), request.limit);
    ranked = ranked.subspan(next.size());
  }
  if (hits.size() > request.limit) hits.resize(request.limit);
  return hits;
}

// Behind the hits what else is in a scope that has no more than was asked for: a filter that leaves one drawer returns
// it.
Status add_rest_of_scope(const Collection& drawers, std::span<const Candidate> ranked, const SearchRequest& request,
                         std::vector<SearchHit>& hits) {
  const GetRequest get = {.selection = {.where = request.where}, .limit = request.limit + 1, .include = kIdsOnly};
  const std::vector<Record> scope = TRY(drawers.get(get));
  if (scope.size() > request.limit) return ok_status();
  std::vector<Candidate> rest;
  for (const Record& record : scope) {
    const auto is_same = [&record](const Candidate& candidate) { return candidate.id == record.id; };
    if (std::none_of(ranked.begin(), ranked.end(), is_same)) rest.push_back({.id = record.id});
  }
  std::vector<SearchHit> more = TRY(fetch(drawers, ranked_by_score(std::move(rest))));
  std::move(more.begin(), more.end(), std::back_inserter(hits));
  hits = fold_equal_texts(std::move(hits), request.limit);
  return ok_status();
}

// As with_all_signs(). One damaged vector among those that are compared must not hide what the words find.
Result<std::vector<Candidate>> with_readable_signs(const Collection& drawers, const SearchRequest& request,
                                                   Question& question, std::size_t count, Candidates candidates,
                                                   SearchAnswer& answer) {
  Result<std::vector<Candidate>> all = with_all_signs(drawers, request, question, count, std::move(candidates));
  const bool is_damage = !all.ok() && all.error().kind == ErrorKind::corruption;
  if (!is_damage || !question.meaning || !question.has_words) return all;
  answer.embedder_error = all.error();
  question.meaning.reset();
  Candidates by_words;
  TRY(add_words(drawers, request.where, question, count, by_words));
  return with_all_signs(drawers, request, question, count, std::move(by_words));
}

// Fills in the hits. `candidates` are the first `count` that the words found; where copies of one text took the places
// of other texts, more are asked for.
Status add_hits(const Collection& drawers, const SearchRequest& request, Question& question, Candidates candidates,
                SearchAnswer& answer) {
  const bool folds = request.unit == SearchUnit::drawers;
  for (std::size_t count = candidates_for(request, question);; count *= 10) {
    const std::vector<Candidate> ranked =
        ranked_by_score(TRY(with_readable_signs(drawers, request, question, count, std::move(candidates), answer)));
    answer.hits = TRY(first_of(drawers, ranked, request));
    if (!folds || answer.hits.size() >= request.limit) return ok_status();
    const bool was_cut_off = ranked.size() >= count;
    if (!was_cut_off && request.where.is_empty()) return ok_status();
    if (!was_cut_off) return add_rest_of_scope(drawers, ranked, request, answer.hits);
    answer.hides_texts_behind_copies = count >= kMostBehindCopies;
    if (answer.hides_texts_behind_copies) return ok_status();
    candidates = {};
    TRY(add_words(drawers, request.where, question, count * 10, candidates));
  }
}

// A store without a search by words cannot say which phrases it has; the search by words itself reports that.
Status loosen_question(const Collection& drawers, const SearchRequest& request, Question& question,
                       SearchAnswer& answer) {
  if (!question.has_words) return ok_status();
  Result<LoosenedQuestion> loosened = loosen_quotes(drawers, request.where, question.text);
  if (!loosened.ok() && loosened.error().kind == ErrorKind::unsupported) return ok_status();
  if (!loosened.ok()) return loosened.error();
  question.text = std::move(loosened->text);
  answer.searched_for = question.text;
  answer.lost_phrases = std::move(loosened->phrases);
  return ok_status();
}

}  // namespace

Error other_dimension(std::size_t of_collection, const std::string& model, std::size_t of_model) {
  return {ErrorKind::dimension_mismatch, "the vectors here have " + std::to_string(of_collection) +
                                             " dimensions, those of " + model + " " + std::to_string(of_model)};
}

Result<SearchAnswer> hybrid_search(const Collection& drawers, const Embedder* embedder, const SearchRequest& request) {
  const CleanQuery clean = question_of(request);
  SearchAnswer answer = {.searched_for = std::string(clean.text), .hits = {}};
  answer.is_shortened =
      request.query.size() > kLongestQuestionBytes && answer.searched_for.size() < request.query.size();
  if (request.mode == SearchMode::words) embedder = nullptr;
  Question question{.typed = answer.searched_for,
                    .text = answer.searched_for,
                    .has_words = request.mode != SearchMode::vectors && !query_terms(answer.searched_for).empty()};
  if (question.text.empty()) return Error{ErrorKind::invalid_argument, "the query is empty"};
  if (!question.has_words && embedder == nullptr)
    return Error{ErrorKind::invalid_argument, "the query has no word to look for"};
  TRY(loosen_question(drawers, request, question, answer));
  question.facts = facts_of(request, question.text);
  // A number in the last line of a log is not what somebody asks for.
  if (!clean.asks) question.facts.exact_terms.clear();
  question.only_words_rank = embedder == nullptr && request.unit == SearchUnit::drawers &&
                             question.facts.dates.empty() && question.facts.exact_terms.empty();
  Candidates candidates;
  const Status words = add_words(drawers, request.where, question, candidates_for(request, question), candidates);
  if (!words.ok() && (words.error().kind != ErrorKind::unsupported || embedder == nullptr)) return words.error();
  if (!words.ok()) {
    answer.words_error = words.error();  // a store without a search by words is searched by meaning
    question.has_words = false;
    candidates.clear();
  }
  TRY(add_names(drawers, request, candidates, embedder != nullptr, question));
  if (embedder != nullptr) {
    TRY(embed_question(*embedder, request.dimension, question, answer));
    if (question.meaning) question.meaning->exact = request.exact;
  }
  TRY(add_hits(drawers, request, question, std::move(candidates), answer));
  answer.facts = std::move(question.facts);
  if (!request.with_highlights) return answer;
  const std::vector<std::string> terms = query_terms(question.text);
  for (SearchHit& hit : answer.hits) hit.highlights = highlights(hit.record.document, terms);
  return answer;
}

}  // namespace loci
