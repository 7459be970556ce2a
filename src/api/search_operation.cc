// search: from a question to drawers.
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "api/caller.h"
#include "api/request.h"
#include "api/scope_fields.h"
#include "api/search_json.h"
#include "api/search_meaning.h"
#include "api/search_stage_field.h"
#include "api/session.h"
#include "api/tables.h"
#include "base/clock.h"
#include "embed/make_embedder.h"
#include "palace/place.h"
#include "search/hybrid_search.h"
#include "search/neighbours.h"
#include "search/timed_search.h"

namespace loci {
namespace {

constexpr std::int64_t kMillisecondsPerDay = 24LL * 60 * 60 * 1000;

constexpr Field kSearchFields[] = {
    {.name = "query",
     .help = "what to look for, in your own words",
     .on_command_line = OnCommandLine::positional,
     .is_required = true,
     .placeholder = "QUERY"},
    kWingField,
    kRoomField,
    kSourceField,
    kTagField,
    kRoleField,
    kAgentField,
    kKindField,
    kSinceField,
    kBeforeField,
    kOnField,
    kWhereField,
    {.name = "limit",
     .type = FieldType::integer,
     .help = "at most so many hits",
     .default_value = "10",
     .minimum = 1,
     .maximum = 1000},
    {.name = "context",
     .type = FieldType::integer,
     .help = "with each hit so many drawers before and after it in its source",
     .default_value = "0",
     .minimum = 0,
     .maximum = 100},
    {.name = "max_chars",
     .type = FieldType::integer,
     .help = "only whole drawers that together have at most so many characters; the answer names what it left out",
     .minimum = 1},
    {.name = "max_tokens",
     .type = FieldType::integer,
     .help = "the same in tokens of a language model; an estimate that takes four bytes for a token",
     .minimum = 1},
    kWithoutField,
    {.name = "exact",
     .type = FieldType::boolean,
     .help = "compare the meaning with that of every drawer, without the index; slower"},
    {.name = "explain", .type = FieldType::boolean, .help = "say how the question was read and where the time went"},
};
constexpr Example kSearchExamples[] = {
    {"search \"why did we choose GraphQL\"", "ask a question"},
    {"search timeout --wing shop --room api --limit 3", "in one room"},
    {"search \"what did we decide\" --since 7d --context 1", "what is new, with what stands around it"},
    {"search error --where '{\"severity\": {\"$gte\": 3}}'", "among drawers with certain metadata"},
};

}  // namespace

// An embedder compares with the vectors of its own model only. Whatever is in the way, words are searched all the same,
// and the answer says what to do.
Meaning meaning_for(Session& session, const Settings& settings, const CollectionInfo& drawers) {
  if (settings.embedder.value == kNoEmbedder) return {.reason = why_no_embedder(settings)};
  if (!drawers.dimension) return {.reason = "no drawer has its vector yet; `loci embed` gives them theirs"};
  const Result<const Embedder*> embedder = session.embedder(settings);
  if (!embedder.ok()) return {.reason = embedder.error().message};
  const std::string model = (*embedder)->model_name();
  if (!drawers.model.empty() && drawers.model != model) {
    return {.reason = "the vectors here were made by " + drawers.model + ", and the embedder is " + model +
                      "; choose the one with --embedder, or make them anew"};
  }
  // A server tells its dimension with its first vector only; the search compares it then.
  const std::size_t dimension = (*embedder)->dimension();
  if (dimension != 0 && dimension != *drawers.dimension) {
    return {.reason = other_dimension(*drawers.dimension, model, dimension).message};
  }
  const Status ready = session.check_ready(**embedder);
  if (!ready.ok()) return {.reason = ready.error().message};
  return {.embedder = *embedder};
}

Json degraded_parts(const Meaning& meaning, const CollectionInfo& info, const SearchAnswer& found) {
  Json parts = Json::array();
  if (meaning.embedder == nullptr) {
    parts.push_back({{"part", "meaning"}, {"reason", "words only: " + meaning.reason}});
  } else if (info.pending > 0) {
    parts.push_back({{"part", "meaning"},
                     {"reason", std::to_string(info.pending) +
                                    (info.pending == 1 ? " drawer waits for its vector and is"
                                                       : " drawers wait for their vectors and are") +
                                    " found by words only; `loci embed` goes on with them"}});
  }
  if (meaning.embedder != nullptr && info.model.empty()) {
    parts.push_back(
        {{"part", "meaning"},
         {"reason", "the model of these vectors is unknown, and hits by meaning are right only if it is " +
                        meaning.embedder->model_name() + "; `loci set-embedder --model NAME` confirms it"}});
  }
  if (meaning.embedder != nullptr && info.missing > 0) {
    parts.push_back({{"part", "meaning"},
                     {"reason", std::to_string(info.missing) +
                                    (info.missing == 1 ? " drawer has no vector and waits for none; it is"
                                                       : " drawers have no vectors and wait for none; they are") +
                                    " found by words only until `loci embed --missing` makes them"}});
  }
  if (meaning.embedder != nullptr && !info.index_problem.empty()) {
    parts.push_back({{"part", "index"},
                     {"reason", "slower than usual, and complete: " + info.index_problem +
                                    "; the background makes it again unless it may not, `loci embed` does so now"}});
  }
  if (found.hides_texts_behind_copies) {
    parts.push_back({{"part", "hits"},
                     {"reason", "the texts found have so many copies that others were not reached; ask more exactly"}});
  }
  for (const std::string& phrase : found.lost_phrases) {
    parts.push_back(
        {{"part", "phrase"},
         {"reason", "no drawer in scope has the words \"" + phrase + "\" in a row; each was looked for by itself"}});
  }
  if (found.words_error) {
    parts.push_back({{"part", "words"}, {"reason", "meaning only: " + found.words_error->message}});
  }
  return parts;
}

std::int64_t today() { return now_unix_ms() / kMillisecondsPerDay; }

namespace {

// What each part of the search looked at.
Json parts_searched(const Meaning& meaning, const CollectionInfo& info, const SearchAnswer& found) {
  const bool has_gaps = info.pending > 0 || info.missing > 0;
  const char* by_meaning = meaning.embedder == nullptr ? "not searched" : has_gaps ? "incomplete" : "complete";
  return {{"words", found.words_error ? "not searched" : "complete"}, {"meaning", by_meaning}};
}

Result<std::vector<Neighbours>> around(const Collection& drawers, const std::vector<SearchHit>& hits,
                                       std::size_t count) {
  if (count == 0) return std::vector<Neighbours>();
  std::vector<const Record*> records;
  for (const SearchHit& hit : hits) records.push_back(&hit.record);
  return neighbours_of(drawers, records, count);
}

Result<Answer> run_search(Session& session, const Request& request, Caller& caller) {
  Scope scope = TRY(scope_from(request));
  std::vector<SearchStage> without = TRY(stages_left_out(request));
  SearchRequest search = {
      .query = request.required_text("query"),
      .limit = static_cast<std::size_t>(request.required_integer("limit")),
      .without = std::move(without),
      .exact = request.flag("exact"),
      .with_highlights = caller.drawer_parts() == DrawerParts::all,
      .today = today(),
  };
  const auto context = static_cast<std::size_t>(request.required_integer("context"));
  TextSize most;
  if (const auto characters = request.integer("max_chars")) most.characters = static_cast<std::size_t>(*characters);
  if (const auto tokens = request.integer("max_tokens")) most.tokens = static_cast<std::size_t>(*tokens);
  const ChosenPalace palace = TRY(session.palace());
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::read, IfMissing::fail));
  Json degraded = TRY(settle_place(*drawers, scope));
  search.where = to_filter(scope);
  CollectionInfo info = TRY(drawers->info());
  search.dimension = info.dimension;
  Meaning meaning = meaning_for(session, palace.settings, info);
  const TimedAnswer timed = TRY(timed_search(*drawers, meaning.embedder, search));
  const SearchAnswer& found = timed.answer;
  if (meaning.embedder != nullptr)
    info.index_problem = TRY(drawers->info()).index_problem;  // it may just have been met
  if (found.embedder_error) {
    session.has_failed(*meaning.embedder);
    meaning = {.reason = found.embedder_error->message};
  }
  const std::vector<Neighbours> neighbours = TRY(around(*drawers, found.hits, context));
  HitsWithinBudget within = hits_to_json(found.hits, neighbours, most, caller.drawer_parts());
  const std::size_t in_scope = TRY(count_in_scope(*drawers, scope));
  for (Json& part : degraded_parts(meaning, info, found)) degraded.push_back(std::move(part));
  Json body = {{"query", found.searched_for},
               {"shortened", found.is_shortened},
               {"hits", std::move(within.hits)},
               {"left_out", std::move(within.left_out)},
               {"drawers_in_scope", in_scope},
               {"pending", info.pending},
               {"searched", parts_searched(meaning, info, found)},
               {"degraded", std::move(degraded)}};
  if (request.flag("explain")) body["explanation"] = explanation_to_json(found, timed.times);
  return Answer{.body = std::move(body), .wants_worker = !info.index_problem.empty()};
}

}  // namespace

constexpr Operation kSearchOperation = {
    .name = "search",
    .summary = "Find drawers by meaning and by words, best first.",
    .fields = kSearchFields,
    .examples = kSearchExamples,
    .run = run_search,
};

}  // namespace loci
